package store

import (
	"context"

	"spmvtune/tuner"
)

// putSentinel records a trial that was measured again. It is there already where a
// journal is merged for the second time.
func putSentinel(ctx context.Context, stmts statements, run runKeys, r tuner.Result) error {
	throttled := 0
	if r.Telemetry != nil {
		throttled = r.Telemetry.Throttled
	}
	_, err := stmts.sentinel.ExecContext(ctx, r.ID, r.At.UnixMilli(), count(run.origin), r.Median, r.Low, r.High,
		throttled, pack(r.Samples))
	return err
}
