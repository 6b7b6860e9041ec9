// SPDX-License-Identifier: Apache-2.0

package export

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/trial"
)

// onFirst chooses the place with the most trials.
var onFirst = store.Filter{Matrix: "a/b"}

// Files are valid by the schemas of the formats.
func TestSchemas(t *testing.T) {
	for format, schema := range map[string]string{"t1": "T1-input-1.0.0", "t4": "T4-results-1.0.0"} {
		path := filepath.Join("../../../shared/schemas", schema+".schema.json")
		if _, err := os.Stat(path); err != nil {
			t.Skip(err)
		}
		s := testkit.Must(jsonschema.NewCompiler().Compile(path))
		text, _ := written(t, format, onFirst)
		v := testkit.Must(jsonschema.UnmarshalJSON(strings.NewReader(text)))
		testkit.Equal(t, s.Validate(v), nil, "%s", format)
	}
}

// decoded is the JSON that a format writes of the first place.
func decoded[T any](t *testing.T, format string) (v T, n int) {
	t.Helper()
	text, n := written(t, format, onFirst)
	err := json.Unmarshal([]byte(text), &v)
	testkit.Require(t, err == nil, "%v\n%s", err, text)
	return v, n
}

func TestT4(t *testing.T) {
	file, n := decoded[struct {
		Results []struct {
			Configuration map[string]any
			Times         map[string]any
			Invalidity    string
			Correctness   float64
			Measurements  []measurement
			Objectives    []string
		}
	}](t, "t4")
	testkit.Require(t, len(file.Results) == 6 && n == 0, "%+v, %+v", file, n)
	r := file.Results[3]
	testkit.Equal(t, fmt.Sprint(r.Configuration), "map[block_size_x:64 grid:0 kernel:csr_vector vec:2]", "configuration")
	testkit.Check(t, r.Measurements[0] == (measurement{"time", 1e-3, "ms"}) &&
		fmt.Sprint(r.Times["runtimes"]) == "[0.001 0.00099 0.00101]" && r.Invalidity == "correct" &&
		r.Correctness == 1 && r.Objectives[0] == "time", "%+v", r)
	for _, name := range []string{"compilation", "benchmark", "framework", "search_algorithm", "validation"} {
		_, there := r.Times[name].(float64)
		testkit.Check(t, there, "no time %s: %v", name, r.Times)
	}
}

// The conditions leave the configurations that were tried, and no others.
func TestT1(t *testing.T) {
	file, _ := decoded[struct {
		ConfigurationSpace struct {
			TuningParameters []tuningParameter
			Conditions       []condition
		}
	}](t, "t1")
	space := fmt.Sprint(file.ConfigurationSpace.TuningParameters)
	testkit.Equal(t, space, `[{kernel string ["csr_block", "csr_vector"]} `+
		`{block_size_x int [32, 64, 2048]} {grid int [0]} {vec int [0, 2, 4]}]`, "parameters")
	testkit.Equal(t, fmt.Sprint(file.ConfigurationSpace.Conditions), `[{[kernel block_size_x] (kernel, block_size_x) in `+
		`[("csr_block", 64), ("csr_block", 2048), ("csr_vector", 32), ("csr_vector", 64)]} `+
		`{[kernel vec] (kernel, vec) in [("csr_block", 0), ("csr_vector", 2), ("csr_vector", 4)]}]`, "conditions")
}

// Where not all combinations of a kernel's values were tried, a condition lists those that were, and no parameter that the
// kernel does not vary: a tuner asks it when all of its parameters have values.
func TestT1Combinations(t *testing.T) {
	s := &space{}
	for _, block := range []int{32, 64} {
		for _, grid := range []int{1, 2} {
			if block*grid < 128 {
				r := store.Row{Result: took(1, "k", block, "same=1")}
				r.Grid = grid
				s.points = append(s.points, point{Row: r})
			}
		}
	}
	s.parametrize()
	got := s.conditions()
	testkit.Equal(t, fmt.Sprint(got),
		`[{[kernel block_size_x grid] kernel != "k" or (block_size_x, grid) in [(32, 1), (32, 2), (64, 1)]}]`, "conditions")
}

// Kernel Tuner's reader (read_cache and process_cache in util.py, and SimulationRunner) asks for all of this.
func TestKernelTuner(t *testing.T) {
	text, n := written(t, "kernel-tuner", onFirst)
	testkit.Check(t, strings.HasSuffix(strings.TrimSpace(text), "}}\n}"),
		"it does not end as the reader wants: %+v\n%s", n, text)
	file, _ := decoded[struct {
		Device string                    `json:"device_name"`
		Kernel string                    `json:"kernel_name"`
		Size   []int                     `json:"problem_size"`
		Names  []string                  `json:"tune_params_keys"`
		Values map[string][]any          `json:"tune_params"`
		Cache  map[string]map[string]any `json:"cache"`
		Unset  map[string]any
	}](t, "kernel-tuner")
	testkit.Require(t, file.Device == "Test GPU" && file.Kernel == "spmv" &&
		slices.Equal(file.Size, []int{1000, 900, 5000}) && len(file.Cache) == 6 && len(file.Values) == len(file.Names) &&
		file.Unset["vec"] == 0.0, "%+v", file)
	for key, one := range file.Cache {
		var values []string
		for _, name := range file.Names {
			testkit.Check(t, slices.Contains(file.Values[name], one[name]), "%s: %s = %v is not in tune_params", key, name, one[name])
			values = append(values, fmt.Sprint(one[name]))
		}
		testkit.Equal(t, strings.Join(values, ","), key, "key %s of the values", key)
		for _, name := range []string{"compile_time", "verification_time", "benchmark_time", "strategy_time",
			"framework_time"} {
			_, ok := one[name].(float64)
			testkit.Check(t, ok, "%s has no %s", key, name)
		}
	}
	if one := file.Cache["csr_vector,64,0,2"]; one["time"] != 1e-3 ||
		fmt.Sprint(one["times"]) != "[0.001 0.00099 0.00101]" {
		t.Errorf("%v", one)
	}
}

// A trial that failed says how, by both formats' words, and what it took counts as benchmarking.
func TestFailures(t *testing.T) {
	db := measured(t)
	for i, f := range []struct {
		status             trial.Status
		message            string
		seconds            float64
		called, kernelTune string // in T4, and in Kernel Tuner's cache
	}{
		{trial.Invalid, "too many threads", 0, "constraints", "InvalidConfig"},
		{trial.Invalid, kernels.NotCompiled + "a.c:6: error", 0.0005, "compile", "CompilationFailedConfig"},
		{trial.Timeout, "no answer within 2s", 2.25, "timeout", "RuntimeFailedConfig"},
		{trial.Fault, "the worker crashed", 0.5, "runtime", "RuntimeFailedConfig"},
		{trial.OOM, "out of memory", 0.125, "runtime", "RuntimeFailedConfig"},
		{trial.Wrong, "row 3", 0.0625, "correctness", "RuntimeFailedConfig"},
	} {
		r := trial.Result{Trial: took(1, "csr_block", 64, "").Trial, Status: f.status, Message: f.message, Seconds: f.seconds}
		r.Matrix, r.ID, r.At = "=sum", fmt.Sprint("f", i), time.Date(2026, 1, 2, 3, 5, i, 0, time.UTC) // the newest counts
		testkit.Succeed(t, db.Record(t.Context(), r))

		s := testkit.Must(readSpace(t.Context(), db, store.Filter{Matrix: "=sum"}))
		var t4, cache strings.Builder
		testkit.Succeed(t, writeT4(t.Context(), &t4, db, s))
		testkit.Succeed(t, writeKernelTuner(t.Context(), &cache, db, s))
		testkit.Says(t, "T4", t4.String(), fmt.Sprintf(`"benchmark":%g,`, 1e3*f.seconds), `"runtimes":[]`,
			`"correctness":0,`, `"invalidity":"`+f.called+`","measurements":[],`)
		testkit.Says(t, "the cache", cache.String(), fmt.Sprintf(`{"benchmark_time":%g,`, 1e3*f.seconds),
			`"time":"`+f.kernelTune+`","timestamp"`)
	}
}

// Kernel Tuner replays the cache by the program of docs/exchange.md, by its own tune_cache, and from T1, and visits
// every configuration that has a time. PYTHONPATH says where it is.
func TestReplayed(t *testing.T) {
	if out, err := exec.Command("python3", "-c", "import kernel_tuner").CombinedOutput(); err != nil {
		t.Skipf("no Kernel Tuner: %s", out)
	}
	page := string(testkit.Must(os.ReadFile("../../docs/exchange.md")))
	t.Chdir(t.TempDir())
	for name, format := range map[string]string{"cache.json": "kernel-tuner", "input.json": "t1"} {
		text, _ := written(t, format, onFirst)
		testkit.Succeed(t, os.WriteFile(name, []byte(text), 0o666))
	}
	testkit.Succeed(t, os.WriteFile("spmv.cu", nil, 0o666))
	_, program, _ := strings.Cut(page, "```python\n")
	program, _, _ = strings.Cut(program, "```")
	program += `
print("visited", sum(isinstance(r.get("time"), float) for r in results))
import importlib.metadata, kernel_tuner, pathlib
version = importlib.metadata.version("kernel_tuner")
if version >= "1.4":
    conditions = [c["Expression"] for c in conditions]
    print("visited", len(kernel_tuner.tune_cache("cache.json", restrictions=conditions)[0]))
if version >= "1.3":
    space = kernel_tuner.tune_kernel_T1(pathlib.Path("input.json"), pathlib.Path("cache.json"), simulation_mode=True)
    print("visited", sum(r["invalidity"] == "correct" for r in space[1]["results"]))
`
	out, err := exec.Command("python3", "-c", program).CombinedOutput()
	testkit.Check(t, err == nil && strings.Contains(string(out), "visited 5") && !strings.Contains(
		strings.ReplaceAll(string(out), "visited 5", ""), "visited"), "%v\n%s", err, out)
}

// Names that mean something to Kernel Tuner, values that are no numbers, and kernels without a parameter.
func TestParameters(t *testing.T) {
	s := &space{points: []point{{Row: store.Row{Result: took(1, "a", 1, "GFLOP/s=9 mode=fast time=0 tile=-1")}},
		{Row: store.Row{Result: took(1, "b", 1, "mode=2 tile=7")}}, {Row: store.Row{Result: took(1, "c", 1, "")}}}}
	s.parametrize()
	got := ""
	for _, p := range s.parameters[3:] {
		got += fmt.Sprintf("%s %v unset %v; ", p.name, p.values, p.unset)
	}
	want := "param_GFLOP/s [0 9] unset 0; mode [2 fast none] unset none; tile [-2 -1 7] unset -2; param_time [-1 0] unset -1; "
	testkit.Equal(t, got, want, "parameters")
}
