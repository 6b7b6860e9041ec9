package store

import (
	"context"

	"spmvtune/tuner/trial"
)

// putAgain records a trial that was measured again, as a sentinel or a final. It is there already where a
// journal is merged for the second time.
func putAgain(ctx context.Context, stmts statements, run runKeys, r trial.Result) error {
	throttled := 0
	if r.Telemetry != nil {
		throttled = r.Telemetry.Throttled
	}
	_, err := stmts.again.ExecContext(ctx, r.ID, r.At.UnixMilli(), count(run.origin), r.Median, r.Low, r.High,
		throttled, r.Final, pack(r.Samples))
	return err
}
