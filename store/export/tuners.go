// SPDX-License-Identifier: Apache-2.0

package export

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/trial"
)

// A space is what was tried in a place, as auto-tuners see it: parameters with values, of which the kernel is one,
// and a point for each configuration.
type space struct {
	trial.Case
	// block is what the parameter of the block is called.
	block      string
	row        store.Row // of any trial, with what all share
	parameters []parameter
	points     []point
}

// A parameter has its values in rising order: whole numbers, or texts where one of them is no number.
type parameter struct {
	name   string
	values []any
	// unset is the value of kernels that don't have the parameter, nil if all have it.
	unset any
}

// A point is a trial with a value for each parameter.
type point struct {
	store.Row
	values []any
}

// Parameters that every space has, by the names that Kernel Tuner gives them where it does. Where a block has no threads,
// as on a processor, it has another name: Kernel Tuner leaves out what has more than 1,024 of them.
const (
	kernelParameter  = "kernel"
	threadsParameter = "block_size_x"
	blockParameter   = "block"
	gridParameter    = "grid"
	mostThreads      = 1024
)

// reserved are the names that no parameter can have in Kernel Tuner, which has a configuration's values beside what was
// measured of it, besides those of the space's own.
var reserved = []string{kernelParameter, threadsParameter, blockParameter, gridParameter, "grid_size_x", "grid_size_y",
	"grid_size_z", "time", "times", "compile_time", "verification_time", "benchmark_time", "strategy_time", "framework_time",
	"timestamp", "GFLOP/s"}

// ofPlace makes a writer of a function that writes the space of one place.
func ofPlace(write func(context.Context, io.Writer, *store.DB, *space) error) writer {
	return func(ctx context.Context, w io.Writer, db *store.DB, f Selection) (leftOut int, err error) {
		s, err := readSpace(ctx, db, f.Filter)
		if err != nil {
			return 0, err
		}
		return 0, write(ctx, w, db, s)
	}
}

// readSpace reads the trials of one place.
func readSpace(ctx context.Context, db *store.DB, f store.Filter) (*space, error) {
	newest := map[kernels.Config]store.Row{}
	err := db.Trials(ctx, f, func(r *store.Row) error {
		if old, there := newest[r.Config]; !there || old.At.Before(r.At) { // a kernel whose source changed is there twice
			newest[r.Config] = *r
		}
		return nil
	})
	if err != nil {
		return nil, err
	}

	s := &space{}
	for _, r := range newest {
		s.Case, s.row = r.Place(), r
		s.points = append(s.points, point{Row: r})
	}
	slices.SortFunc(s.points, func(a, b point) int {
		return cmp.Or(cmp.Compare(a.Kernel, b.Kernel), cmp.Compare(a.Params, b.Params), cmp.Compare(a.Grid, b.Grid),
			cmp.Compare(a.Block, b.Block))
	})
	s.parametrize()
	return s, nil
}

// parametrize finds the parameters, and the value of each point.
func (s *space) parametrize() {
	names := map[string]bool{}
	for _, p := range s.points {
		for name := range p.Params.All() {
			names[name] = true
		}
	}
	s.block = threadsParameter
	if slices.ContainsFunc(s.points, func(p point) bool {
		k, ours := kernels.Lookup(p.Kernel)
		return ours && k.Backend == "cpu" || p.Block > mostThreads && p.Status != trial.Invalid
	}) {
		s.block = blockParameter
	}

	s.add(kernelParameter, func(p *point) (string, bool) { return p.Kernel, true })
	s.add(s.block, func(p *point) (string, bool) { return strconv.Itoa(p.Block), true })
	s.add(gridParameter, func(p *point) (string, bool) { return strconv.Itoa(p.Grid), true })
	for _, name := range slices.Sorted(maps.Keys(names)) {
		called := name
		if slices.Contains(reserved, name) {
			called = "param_" + name
		}
		s.add(called, func(p *point) (string, bool) { return p.Params.Get(name) })
	}
}

// add adds a parameter. Kernels that don't have it get a value that no other has.
func (s *space) add(name string, value func(*point) (string, bool)) {
	whole, least := true, 0
	for i := range s.points {
		text, ok := value(&s.points[i])
		n, err := strconv.Atoi(text)
		whole = whole && (!ok || err == nil && strconv.Itoa(n) == text)
		if ok {
			least = min(least, n-1)
		}
	}
	p := parameter{name: name}
	for i := range s.points {
		text, ok := value(&s.points[i])
		var v any = text
		n, _ := strconv.Atoi(text)
		switch {
		case !ok && whole:
			v, p.unset = least, least
		case !ok:
			v, p.unset = none, none
		case whole:
			v = n
		}
		s.points[i].values = append(s.points[i].values, v)
		if !slices.Contains(p.values, v) {
			p.values = append(p.values, v)
		}
	}
	slices.SortFunc(p.values, func(a, b any) int {
		if m, ok := a.(int); ok {
			return cmp.Compare(m, b.(int))
		}
		return cmp.Compare(a.(string), b.(string))
	})
	s.parameters = append(s.parameters, p)
}

// none is the value of a parameter of texts for kernels that don't have it.
const none = "none"

// key is the key of a point in Kernel Tuner's cache.
func (p point) key() string {
	return strings.Join(lists.Of(p.values, func(v any) string { return fmt.Sprint(v) }), ",")
}

// configuration gives the value of each parameter.
func (s *space) configuration(p point) members {
	m := members{}
	for i, v := range p.values {
		m[s.parameters[i].name] = v
	}
	return m
}

// A tuningParameter is a parameter in T1. Values is an expression of Python.
type tuningParameter struct {
	Name, Type, Values string
}

// A condition is true of the configurations that were tried. Expression is one of Python.
type condition struct {
	Parameters []string
	Expression string
}

// writeT1 writes the search space of a place in the T1 format of auto-tuners (github.com/odgaard/TuningSchema),
// version 1.0.0: its parameters, and conditions that leave the configurations that were tried.
//
// Kernel Tuner's tune_kernel_T1 wants a problem size, arguments (none: it replays a cache) and a kernel's file, and
// takes a budget with some searches only.
func writeT1(_ context.Context, w io.Writer, _ *store.DB, s *space) error {
	parameters := []tuningParameter{}
	for _, p := range s.parameters {
		kind := "string"
		if _, ok := p.values[0].(int); ok {
			kind = "int"
		}
		parameters = append(parameters, tuningParameter{p.name, kind, "[" + python(p.values...) + "]"})
	}
	return term.WriteJSON(w, members{
		"General":            members{"FormatVersion": 1, "TimeUnit": "Milliseconds", "OutputFormat": "JSON"},
		"ConfigurationSpace": members{"TuningParameters": parameters, "Conditions": s.conditions()},
		"Search":             members{"Name": "brute_force"},
		"KernelSpecification": members{
			"Device": members{"Name": s.Device}, "Language": "CUDA", "KernelName": kernelName,
			"KernelFile": kernelName + ".cu", "ProblemSize": s.problemSize(), "Arguments": []any{}, "GlobalSizeType": "CUDA",
			"GlobalSize": members{"X": gridParameter}, "LocalSize": members{"X": s.block},
		},
	})
}

// conditions leave what was tried: of each parameter the values that go with a kernel and, for a kernel of which not all
// combinations of its values were tried, a list of those that were.
//
// Note: a condition for each kernel, over all parameters, is shorter. But Kernel Tuner asks a condition only where all of
// its parameters have values, and so goes through all combinations of them: 10¹¹ for the GPU's kernels.
func (s *space) conditions() []condition {
	list := []condition{}
	kernels := s.parameters[0].values
	for i, p := range s.parameters[1:] {
		if c, n := s.tried(s.points, []int{0, i + 1}); n < len(kernels)*len(p.values) {
			list = append(list, c)
		}
	}
	for _, kernel := range kernels {
		points := lists.Where(s.points, func(p point) bool { return p.values[0] == kernel })
		var which []int // parameters that vary
		all := 1
		for i := range s.parameters {
			if n := len(lists.Distinct(points, func(p point) any { return p.values[i] })); n > 1 {
				which, all = append(which, i), all*n
			}
		}
		if c, n := s.tried(points, which); n < all {
			list = append(list, condition{append([]string{kernelParameter}, c.Parameters...),
				fmt.Sprintf("%s != %s or %s", kernelParameter, python(kernel), c.Expression)})
		}
	}
	return list
}

// tried is true of the combinations of values that points have in these parameters, of which there are n.
func (s *space) tried(points []point, which []int) (c condition, n int) {
	combinations := lists.Distinct(points, func(p point) string {
		return "(" + python(lists.Of(which, func(i int) any { return p.values[i] })...) + ")"
	})
	c.Parameters = lists.Of(which, func(i int) string { return s.parameters[i].name })
	c.Expression = fmt.Sprintf("(%s) in [%s]", strings.Join(c.Parameters, ", "), strings.Join(combinations, ", "))
	return c, len(combinations)
}

// python joins values as literals of Python.
func python(values ...any) string {
	return strings.Join(lists.Of(values, func(v any) string {
		literal, _ := jsonText(v) // texts and numbers can't fail; Python reads JSON's escapes as they are meant
		return string(literal)
	}), ", ")
}

// problemSize has the rows, columns and nonzeros of the matrix.
func (s *space) problemSize() []int { return []int{s.row.Rows, s.row.Cols, s.row.NNZ} }

// about is what a tuner's file says of its place: the device, the matrix, the precision, the cache state, and the
// values that stand for no value. By it import finds back what was exported.
func (s *space) about(ctx context.Context, db *store.DB) (members, error) {
	unsets := members{}
	for _, p := range s.parameters {
		if p.unset != nil {
			unsets[p.name] = p.unset
		}
	}
	matrix, err := matrixOf(ctx, db, s.Matrix)
	return members{"device_name": s.Device, "matrix": matrix, "precision": s.Precision, "cache_state": s.Cache,
		"unset": unsets, "about_time": "time is expected of another run, and may lie outside the samples of one"}, err
}

// writeT4 writes results in the T4 format of auto-tuners (github.com/odgaard/TuningSchema), version 1.0.0. Times are
// in ms, and those of a configuration are called as Kernel Tuner calls them.
func writeT4(ctx context.Context, w io.Writer, db *store.DB, s *space) error {
	about, err := s.about(ctx, db)
	if err != nil {
		return err
	}
	about["timeunit"] = "milliseconds"
	out := newStream(w, members{"schema_version": "1.0.0", "metadata": about}, "results", "[", "]}\n")
	for _, p := range s.points {
		correct := 0
		if p.Status == trial.OK {
			correct = 1
		}
		out.add("", members{
			"timestamp": p.At.UTC().Format(time.RFC3339Nano), "configuration": s.configuration(p),
			"times": t4Times(p), "invalidity": p.invalidity(), "correctness": correct,
			"measurements": measurements(p), "objectives": []string{"time"},
		})
	}
	return out.close()
}

// invalidity says how a trial ended, in the words of T4.
func (p point) invalidity() string {
	switch p.Status {
	case trial.OK:
		return "correct"
	case trial.Wrong:
		return "correctness"
	case trial.Timeout:
		return "timeout"
	case trial.Invalid:
		if strings.HasPrefix(p.Message, kernels.NotCompiled) {
			return "compile"
		}
		return "constraints"
	}
	return "runtime"
}

// t4Times are the times of a trial in ms. All that it took is benchmark: no other is known apart.
func t4Times(p point) members {
	m := members{"compilation": 0, "benchmark": 1e3 * p.Seconds, "framework": 0, "search_algorithm": 0, "validation": 0,
		"runtimes": []float64{}}
	if p.Status == trial.OK {
		m["runtimes"] = milliseconds(samplesOf(&p.Row))
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

// writeKernelTuner writes a cache file of Kernel Tuner (github.com/KernelTuner/kernel_tuner), which its simulation
// mode replays. Its reader goes on where a tuning session ended, and so it wants the file to end with "}\n}" and
// each configuration on a line. The parameters have the same order everywhere, or it refuses the file. It ignores the
// members that are not its own.
func writeKernelTuner(ctx context.Context, w io.Writer, db *store.DB, s *space) error {
	head, err := s.about(ctx, db)
	if err != nil {
		return err
	}
	names := lists.Of(s.parameters, func(p parameter) string { return p.name })
	values := lists.Of(s.parameters, func(p parameter) string { return python(p.name) + ":[" + python(p.values...) + "]" })
	maps.Copy(head, members{
		"schema_version": "1.1.0", "kernel_name": kernelName, "problem_size": s.problemSize(), "objective": "time",
		"tune_params_keys": names, "tune_params": json.RawMessage("{" + strings.Join(values, ",") + "}"),
	})
	out := newStream(w, head, "cache", "{", "}\n}\n")
	for _, p := range s.points {
		entry := timesOf(p)
		maps.Copy(entry, s.configuration(p))
		out.add(p.key(), entry)
	}
	return out.close()
}

// kernelName is what the kernels of a space are together.
const kernelName = "spmv"

// timesOf is what Kernel Tuner keeps of a configuration, in ms. Kernels are compiled before they are measured, and a
// trial's preparation and verification are within the time that it took.
func timesOf(p point) members {
	m := members{
		"time": "RuntimeFailedConfig", "compile_time": 0, "verification_time": 0, "benchmark_time": 1e3 * p.Seconds,
		"strategy_time": 0, "framework_time": 0, "timestamp": p.At.UTC().Format(time.RFC3339Nano),
	}
	switch p.invalidity() {
	case "correct":
		m["time"], m["times"], m["GFLOP/s"] = 1e3*p.Time, milliseconds(samplesOf(&p.Row)), p.GFLOPS
	case "compile":
		m["time"] = "CompilationFailedConfig"
	case "constraints":
		m["time"] = "InvalidConfig"
	}
	return m
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
	m = members{}
	for i, v := range table.Rows[0] {
		if v != nil && v != int64(sparse.Unknown) {
			m[table.Columns[i]] = v
		}
	}
	return m, nil
}
