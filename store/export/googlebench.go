package export

import (
	"context"
	"io"
	"slices"
	"time"

	"spmvtune/store"
	"spmvtune/tuner/trial"
)

// A googleRun is a repetition of a benchmark as Google Benchmark writes it.
type googleRun struct {
	Name            string  `json:"name"`
	FamilyIndex     int     `json:"family_index"`
	InstanceIndex   int     `json:"per_family_instance_index"`
	RunName         string  `json:"run_name"`
	RunType         string  `json:"run_type"`
	Repetitions     int     `json:"repetitions"`
	RepetitionIndex int     `json:"repetition_index"`
	Threads         int     `json:"threads"`
	Iterations      int     `json:"iterations"`
	RealTime        float64 `json:"real_time"`
	CPUTime         float64 `json:"cpu_time"`
	TimeUnit        string  `json:"time_unit"`
	BytesPerSecond  float64 `json:"bytes_per_second,omitempty"`
	FLOPs           float64 `json:"flops,omitempty"`
}

// writeGoogle writes what Google Benchmark writes with --benchmark_format=json: a repetition for each sample. The
// time of processors is not known, and the format wants one: it is the same. A device that is the only one is in the
// context, so that names are the same on another device.
func writeGoogle(ctx context.Context, w io.Writer, db *store.DB, f store.Filter) (n Count, err error) {
	places, err := db.Places(ctx, f)
	if err != nil {
		return n, err
	}
	several := slices.ContainsFunc(places, func(p trial.Case) bool { return p.Device != places[0].Device })
	context := members{{"date", time.Now().UTC().Format(time.RFC3339)}, {"executable", "spmvtune"},
		{"library_build_type", "release"}}
	if !several && len(places) > 0 {
		context = append(context, member{"device", places[0].Device})
	}
	head, err := jsonText(context)
	if err != nil {
		return n, err
	}
	list, err := newList(w, `{"context": `+string(head)+`, "benchmarks": [`, "]}\n")
	if err != nil {
		return n, err
	}
	err = db.Trials(ctx, f, func(r *store.Row) error {
		if r.Status != trial.OK {
			n.LeftOut++
			return nil
		}
		name := "SpMV/"
		if several {
			name += "device:" + word(r.Device) + "/"
		}
		name += "matrix:" + word(r.Matrix) + "/precision:" + word(string(r.Precision)) + "/cache:" + word(string(r.Cache)) +
			"/" + configName(r, ":")
		samples := samplesOf(r)
		for i, s := range samples {
			ns := scaled(s, 9)
			if err := list.add(googleRun{Name: name, InstanceIndex: n.Written, RunName: name, RunType: "iteration",
				Repetitions: len(samples), RepetitionIndex: i, Threads: 1, Iterations: max(r.Batch, 1), RealTime: ns, CPUTime: ns,
				TimeUnit: "ns", BytesPerSecond: float64(r.BytesMin) / s, FLOPs: 2 * float64(r.NNZ) / s}); err != nil {
				return err
			}
		}
		n.Written++
		return nil
	})
	if err != nil {
		return n, err
	}
	return n, list.close()
}
