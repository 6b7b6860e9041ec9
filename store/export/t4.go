package export

import (
	"context"
	"io"
	"time"

	"spmvtune/store"
	"spmvtune/tuner/trial"
)

// writeT4 writes results in the T4 format of auto-tuners (github.com/odgaard/TuningSchema), version 1.0.0. Times are
// in ms, as those that Kernel Tuner writes.
func writeT4(ctx context.Context, w io.Writer, db *store.DB, f store.Filter) (n Count, err error) {
	s, err := readSpace(ctx, db, f)
	if err != nil {
		return n, err
	}
	head, err := jsonText(members{{"device", s.Device}, {"matrix", s.Matrix}, {"precision", s.Precision},
		{"cache", s.Cache}})
	if err != nil {
		return n, err
	}
	list, err := newList(w, `{"schema_version": "1.0.0", "metadata": `+string(head)+`, "results": [`, "]}\n")
	if err != nil {
		return n, err
	}
	for _, p := range s.points {
		n.Written++
		correct := 0
		if p.Status == trial.OK {
			correct = 1
		}
		if err := list.add(members{
			{"timestamp", p.At.UTC().Format(time.RFC3339Nano)}, {"configuration", s.configuration(p)},
			{"times", t4Times(p)}, {"invalidity", invalidity(p.Status)}, {"correctness", correct},
			{"measurements", measurements(p)}, {"objectives", []string{"time"}},
		}); err != nil {
			return n, err
		}
	}
	return n, list.close()
}

// invalidity says how a trial ended, in the words of T4.
func invalidity(s trial.Status) string {
	switch s {
	case trial.OK:
		return "correct"
	case trial.Wrong:
		return "correctness"
	case trial.Timeout:
		return "timeout"
	case trial.Invalid:
		return "constraints"
	}
	return "runtime"
}

func t4Times(p point) members {
	m := members{}
	if p.Status == trial.OK {
		m = append(m, member{"runtimes", milliseconds(samplesOf(&p.Row))})
	}
	if p.Seconds > 0 {
		m = append(m, member{"benchmark", 1e3 * p.Seconds})
	}
	return m
}

// A measurement is a number with its unit.
type measurement struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
}

// measurements are what was found out of a trial. One that failed has none.
func measurements(p point) []measurement {
	if p.Status != trial.OK {
		return []measurement{}
	}
	m := []measurement{
		{"time", 1e3 * p.Time, "ms"}, {"time_low", 1e3 * p.Another.Low, "ms"}, {"time_high", 1e3 * p.Another.High, "ms"},
		{"prepare_time", 1e3 * p.Prepare, "ms"}, {"GFLOP/s", p.GFLOPS, "GFLOP/s"},
	}
	if p.BytesMin > 0 {
		m = append(m, measurement{"bandwidth", p.GBPS, "GB/s"})
	}
	return m
}
