package importer

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"spmvtune/internal/testing/testkit"
	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

const tunerCache = `{
"device_name": "A card",
"kernel_name": "mine",
"problem_size": 100,
"tune_params_keys": ["block_size_x", "block_size_y", "unroll", "layout"],
"tune_params": {"block_size_x": [16, 32], "block_size_y": [2], "unroll": [1, 2], "layout": ["soa"]},
"cache": {
"16,2,1,soa": {"block_size_x": 16, "block_size_y": 2, "unroll": 1, "layout": "soa", "time": 2.5, "times": [2.4, 2.6]},
"32,2,1,soa": {"block_size_x": 32, "block_size_y": 2, "unroll": 1, "layout": "soa", "time": "RuntimeFailedConfig"},
"32,2,2,soa": {"block_size_x": 32, "block_size_y": 2, "unroll": 2, "layout": "soa", "time": 1.5}`

// facts are the features of the matrix a.
func facts() *File {
	return &File{"facts.csv", strings.NewReader("matrix,rows,cols,nnz\na,10,20,30\n")}
}

// A cache has a time for each configuration, in ms, also one that a session has not closed.
func TestKernelTuner(t *testing.T) {
	for _, end := range []string{"}\n}", ",", ""} {
		m, err := Read(File{"c.json", strings.NewReader(tunerCache + end)}, facts(),
			Options{Matrix: "a", Precision: kernels.Float32})
		if err != nil {
			t.Fatalf("ending in %q: %v", end, err)
		}
		if len(m.Times) != 2 || m.Failed != 1 {
			t.Fatalf("%d times, %d failed", len(m.Times), m.Failed)
		}
		first := m.Times[0]
		want := kernels.Config{Kernel: "mine", Precision: kernels.Float32, Block: 32,
			Params: "block_size_y=2 layout=soa unroll=1"}
		if first.Config != want || first.Device != "A card" || first.Matrix != "a" || first.Line != 8 {
			t.Errorf("%+v", first)
		}
		if !slices.Equal(first.Runs, []float64{2.5e-3}) || !slices.Equal(first.Samples, []float64{2.4e-3, 2.6e-3}) {
			t.Errorf("runs %v, samples %v", first.Runs, first.Samples)
		}
	}
}

// A parameter that an entry has as null is not set. Values may be any text.
func TestKernelTunerParameters(t *testing.T) {
	text := strings.Replace(tunerCache, `"layout": "soa", "time": 1.5`, `"layout": null, "time": 1.5`, 1)
	text = strings.Replace(text, `"unroll": 1, "layout": "soa", "time": 2.5`,
		`"unroll": "a = 1%", "layout": false, "time": 2.5`, 1)
	m := testkit.Must(Read(File{"c.json", strings.NewReader(text + "}}")}, facts(),
		Options{Matrix: "a", Precision: kernels.Float32}))
	if m.Times[0].Params != "block_size_y=2 layout=false unroll=a%20%3D%201%25" ||
		m.Times[1].Params != "block_size_y=2 unroll=2" {
		t.Errorf("%q and %q", m.Times[0].Params, m.Times[1].Params)
	}
}

// Of a list of times with other values the times are read, and numbers in such a list stay as they are written.
func TestMixedLists(t *testing.T) {
	for list, want := range map[string][]float64{
		"[2.4, 2.6, null]": {2.4e-3, 2.6e-3}, `["lost",2.4 , 2.6]`: {2.4e-3, 2.6e-3}, "[2.4, null, 2.6, 1e999]": {2.4e-3, 2.6e-3},
		"[null]": nil, "[]": nil, "null": nil, "2.4": nil,
	} {
		m, err := Read(File{"c.json", strings.NewReader(strings.Replace(tunerCache, "[2.4, 2.6]", list, 1) + "}}")}, facts(),
			Options{Matrix: "a", Precision: kernels.Float32})
		if err != nil || !slices.Equal(m.Times[0].Samples, want) {
			t.Errorf("of %s: %+v, %v", list, m, err)
		}
	}

	root := testkit.Must(parseTree([]byte("[9007199254740993 ,\n 12345678, null, 1.50]")))
	var texts []string
	for _, item := range list(root) {
		texts = append(texts, text(item))
	}
	if want := []string{"9007199254740993", "12345678", "", "1.50"}; !slices.Equal(texts, want) {
		t.Errorf("%q, want %q", texts, want)
	}
}

// The example of the auto-tuning community is read.
func TestKernelTunerExample(t *testing.T) {
	f, err := os.Open("../../../shared/schemas/kernel-tuner-cache-example.json")
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	m, err := Read(File{f.Name(), f}, facts(), Options{Matrix: "a", Precision: kernels.Float32})
	if err != nil || len(m.Times) != 10 || m.Times[1].Block != 1024 || len(m.Times[1].Samples) != 10 {
		t.Errorf("%+v: %v", m, err)
	}
}

// nvbenchFile is what nvbench writes of a benchmark with two axes. The second state was skipped.
const nvbenchFile = `{"meta": {"argv": ["./bench"]},
"devices": [{"id": 3, "name": "A card"}],
"benchmarks": [{"name": "spmv", "index": 0, "devices": [3], "states": [
%s,
{"name": "skipped", "device": 3, "axis_values": [], "summaries": [], "is_skipped": true, "skip_reason": "no memory"}
]}]}`

const nvbenchState = `{"name": "s", "device": 3,
 "axis_values": [{"name": "Input", "type": "string", "value": "a"}, {"name": "T", "type": "string", "value": "F64"},
  {"name": "Threads", "type": "int64", "value": "128"}],
 "summaries": [{"tag": "nv/cold/sample_size", "data": [{"name": "value", "type": "int64", "value": "7"}]},
  {"tag": "nv/cold/time/gpu/mean", "data": [{"name": "value", "type": "float64", "value": "2.5e-05"}]}],
 "is_skipped": false}`

func TestNVBench(t *testing.T) {
	names := map[string]string{"matrix": "Input", "precision": "T", "block": "Threads"}
	m, err := Read(File{"n.json", strings.NewReader(fmt.Sprintf(nvbenchFile, nvbenchState))}, facts(),
		Options{Columns: names})
	if err != nil || len(m.Times) != 1 || m.Failed != 1 {
		t.Fatalf("%+v: %v", m, err)
	}
	want := kernels.Config{Kernel: "spmv", Precision: kernels.Float64, Block: 128}
	if got := m.Times[0]; got.Config != want || got.Device != "A card" || got.Cache != trial.Cold ||
		!slices.Equal(got.Runs, []float64{2.5e-5}) || got.Line != 4 {
		t.Errorf("%+v", got)
	}

	names["kernel"] = "Input"
	delete(names, "matrix")
	m, err = Read(File{"n.json", strings.NewReader(fmt.Sprintf(nvbenchFile, nvbenchState))}, facts(),
		Options{Columns: names, Matrix: "a"})
	if err != nil || m.Times[0].Kernel != "a" || m.Times[0].Matrix != "a" ||
		m.Times[0].Params != "benchmark=spmv" || len(m.Unused) > 0 {
		t.Errorf("%+v: %v", m, err)
	}
}

// Axes that no column has keep states apart.
func TestNVBenchAxes(t *testing.T) {
	other := strings.Replace(nvbenchState, `"value": "128"}`,
		`"value": "128"}, {"name": "Items", "type": "int64", "value": "2"}`, 1)
	third := strings.Replace(other, `"value": "2"`, `"value": "4 each"`, 1)
	text := fmt.Sprintf(nvbenchFile, nvbenchState+",\n"+other+",\n"+third+",\n"+third)
	names := map[string]string{"matrix": "Input", "precision": "T", "block": "Threads"}
	m, err := Read(File{"n.json", strings.NewReader(text)}, facts(), Options{Columns: names})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, time := range m.Times {
		got = append(got, fmt.Sprint(time.Block, " ", time.Params, " ", len(time.Runs)))
	}
	if want := []string{"128  1", "128 Items=2 1", "128 Items=4%20each 2"}; !slices.Equal(got, want) || len(m.Unused) > 0 {
		t.Errorf("%q, want %q; not used: %q", got, want, m.Unused)
	}
	names["params"] = "Items"
	m, err = Read(File{"n.json", strings.NewReader(strings.ReplaceAll(text, "4 each", "k=4"))}, facts(),
		Options{Columns: names})
	testkit.Fails(t, err, `params: "2": write name=value`, "an axis that is called the parameters: %+v", m)
}

// A device that was imported once has its name as that was.
func TestDeviceName(t *testing.T) {
	if once := DeviceName("A card"); once != "A card (imported)" || DeviceName(once) != once {
		t.Errorf("%q, %q", once, DeviceName(once))
	}
}

// Mistakes name file and line.
func TestJSONMistakes(t *testing.T) {
	values, numbers := mostValues, mostNumbers
	mostValues, mostNumbers = 2000, 10_000
	defer func() { mostValues, mostNumbers = values, numbers }()
	for _, tt := range []struct{ text, want string }{
		{"{}", "x.json is JSON, but neither a cache of Kernel Tuner nor what nvbench writes"},
		{"{\n\"a\": 1,\n?}", "x.json:3: invalid character"},
		{"{\"a\": 1}\n7", "x.json:2: there is more text"},
		{strings.Repeat(`{"a":`, 60), "x.json:1: values are nested more than 50 deep"},
		{strings.Replace(tunerCache, `"time": 1.5`, `"time": -1`, 1), `x.json:10: time_ms = "-1" is not a positive number`},
		{strings.Replace(tunerCache, `"unroll": 2, `, ``, 1), `x.json:10: params: "unroll="`},
		{strings.Replace(tunerCache, `"unroll": 2, `, `"unroll": 2, "unroll": 1, `, 1),
			`x.json:10: "unroll" occurs twice in one object: leave one out`},
		{"{\n\"a\": [\n\n" + strings.Repeat(`[],`, mostValues) + "1]}",
			"x.json:4: more than 2000 values: import the file in pieces"},
		{"{\n\"a\": [" + strings.Repeat(`1,`, mostNumbers) + "1]}", "x.json:2: more than 10000 numbers in lists"},
		{strings.Replace(tunerCache, `"time": 1.5`, `"power": 1`, 1), `x.json:10: time_ms = ""`},
	} {
		_, err := Read(File{"x.json", strings.NewReader(tt.text)}, facts(), Options{Matrix: "a", Precision: kernels.Float32})
		testkit.Fails(t, err, tt.want, "%.60s", tt.text)
	}
}

func FuzzReadJSON(f *testing.F) {
	f.Add(tunerCache)
	f.Add(fmt.Sprintf(nvbenchFile, nvbenchState))
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Read(File{"x.json", strings.NewReader(text)}, facts(), Options{Matrix: "a", Precision: kernels.Float32})
		if err == nil && len(m.Times) == 0 {
			t.Error("nothing was read, and there is no error")
		}
	})
}
