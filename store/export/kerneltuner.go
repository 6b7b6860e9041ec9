package export

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"spmvtune/sparse"
	"spmvtune/store"
	"spmvtune/tuner/trial"
)

// writeKernelTuner writes a cache file of Kernel Tuner (github.com/KernelTuner/kernel_tuner), which its simulation
// mode replays. Its reader goes on where a tuning session ended, and so it wants the file to end with "}\n}" and
// each configuration on a line. It ignores the members of the file that are not its own: the matrix, the precision,
// the cache state, and the values that stand for no value, by which import finds back what was exported.
func writeKernelTuner(ctx context.Context, w io.Writer, db *store.DB, f store.Filter) (n Count, err error) {
	s, err := readSpace(ctx, db, f)
	if err != nil {
		return n, err
	}
	matrix, err := matrixOf(ctx, db, s.Matrix)
	if err != nil {
		return n, err
	}
	names, values, unsets := []string{}, members{}, members{}
	for _, p := range s.parameters {
		names = append(names, p.name)
		values = append(values, member{p.name, p.values})
		if p.unset != nil {
			unsets = append(unsets, member{p.name, p.unset})
		}
	}
	head, err := jsonText(members{
		{"schema_version", "1.1.0"}, {"device_name", s.Device}, {"kernel_name", kernelName},
		{"problem_size", []int{s.row.Rows, s.row.Cols, s.row.NNZ}},
		{"matrix", matrix}, {"precision", s.Precision}, {"cache_state", s.Cache}, {"unset", unsets},
		{"tune_params_keys", names}, {"tune_params", values}, {"objective", "time"},
	})
	if err != nil {
		return n, err
	}

	list, err := newList(w, strings.TrimSuffix(string(head), "}")+`,"cache": {`, "}\n}\n")
	if err != nil {
		return n, err
	}
	for _, p := range s.points {
		n.Written++
		if err := list.member(p.key(), append(s.configuration(p), timesOf(p)...)); err != nil {
			return n, err
		}
	}
	return n, list.close()
}

// kernelName is what the kernels of a space are together.
const kernelName = "spmv"

// timesOf is what Kernel Tuner keeps of a configuration, in ms. Kernels are compiled before they are measured, and a
// trial's preparation and verification are within the time that it took.
func timesOf(p point) members {
	m := members{{"time", "RuntimeFailedConfig"}}
	switch p.Status {
	case trial.OK:
		m = members{{"time", 1e3 * p.Time}, {"times", milliseconds(samplesOf(&p.Row))}, {"GFLOP/s", p.GFLOPS}}
	case trial.Invalid:
		m[0].value = "InvalidConfig"
	}
	return append(m, members{
		{"compile_time", 0}, {"verification_time", 0}, {"benchmark_time", 1e3 * p.Seconds}, {"strategy_time", 0},
		{"framework_time", 0}, {"timestamp", p.At.UTC().Format(time.RFC3339Nano)},
	}...)
}

// matrixOf is what is known of a matrix, by the names of its features. A count that is not known is -1.
func matrixOf(ctx context.Context, db *store.DB, name string) (m members, err error) {
	table, err := db.Query(ctx, "SELECT * FROM features WHERE matrix = '"+strings.ReplaceAll(name, "'", "''")+"'")
	if err != nil {
		return nil, err
	}
	if len(table.Rows) == 0 {
		return nil, fmt.Errorf("the database has no features of the matrix %q", name)
	}
	for i, v := range table.Rows[0] {
		if v != nil && v != int64(sparse.Unknown) {
			m = append(m, member{table.Columns[i], v})
		}
	}
	return m, nil
}
