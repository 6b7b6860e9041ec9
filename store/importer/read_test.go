// SPDX-License-Identifier: Apache-2.0

package importer

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/trial"
)

const good = `matrix,class,rows,cols,nnz,row_max,kernel,precision,cache,block,grid,params,time_us,device,comment
a,graph,10,20,30,7,mine,float32,cold,128,,unroll=4 tile=2,12.5,X,first
a,graph,10,20,30,7,mine,float32,cold,128,,tile=2 unroll=4,11.5,X,again
a,graph,10,20,30,7,theirs,float32,cold,,,,3,X,
b,,5,5,0,0,theirs,float64,warm,,8,,4,Y,
`

func read(t *testing.T, text string, opt Options) (*Measurements, error) {
	t.Helper()
	return Read(File{"t.csv", strings.NewReader(text)}, nil, opt)
}

// Repeated rows are runs of one configuration, whatever the order of its parameters;
// what the table does not say is not known.
func TestRead(t *testing.T) {
	m := testkit.Must(read(t, good, Options{}))
	testkit.Require(t, len(m.Matrices) == 2 && len(m.Times) == 3 && slices.Equal(m.Unused, []string{"comment"}),
		"%d matrices, %d times, not used: %v", len(m.Matrices), len(m.Times), m.Unused)
	first := m.Times[0]
	want := kernels.Config{Kernel: "mine", Precision: kernels.Float32, Block: 128,
		Params: kernels.Params("tile=2 unroll=4")}
	testkit.Check(t, first.Config.String() == want.String() && first.Device == "X" && first.Cache == trial.Cold &&
		strings.HasSuffix(first.From, ":2"), "read %+v", first)
	testkit.Check(t, len(first.Runs) == 2 && math.Abs(first.Runs[0]-11.5e-6) <= 1e-12,
		"runs %v, want 11.5 and 12.5 µs", first.Runs)
	f := m.Matrices[0].Features
	testkit.Check(t, f.RowMax == 7 && f.RowMean == 3 && f.RowMin == sparse.Unknown && math.IsNaN(f.RowGini) &&
		math.IsNaN(f.RowStd), "features %+v", f)
}

// Two tables, with names of their own, say the same as one.
func TestJoin(t *testing.T) {
	times := "who\tk\tgflops\na\tx\t2\n"
	facts := "matrix,m,n,nnz\nunmeasured,1,1,1\na,10,10,40\n"
	m := testkit.Must(Read(File{"t.tsv", strings.NewReader(times)}, &File{"f.csv", strings.NewReader(facts)}, Options{
		Columns: map[string]string{"kernel": "k", "rows": "m", "cols": "n", "matrix": "who"},
		Device:  "X", Precision: kernels.Float64,
	}))
	testkit.Check(t, len(m.Matrices) == 1 && m.Matrices[0].Features.Nonzeros == 40, "matrices %+v", m.Matrices)
	testkit.Near(t, m.Times[0].Runs[0], 40e-9, 1e-18, "80 operations at 2 GFLOP/s took")
}

func TestMistakes(t *testing.T) {
	change := func(old, new string) string { return strings.Replace(good, old, new, 1) }
	for _, c := range []struct{ text, want string }{
		{"", "t.csv is empty"},
		{change("nnz", "entries"), "t.csv:1: no column nonzeros"},
		{change("device", "gpu"), "no column device (or --device)"},
		{change("time_us", "time"), "no column gives a time: call it one of time_ms"},
		{change("comment", "time_s"), "both time_s and time_us"},
		{change("comment", "rows"), `two columns are called "rows"`},
		{change("12.5", "-1"), `t.csv:2: time_us = "-1" is not a positive number`},
		{change("12.5", "NaN"), "t.csv:2: time_us"},
		{change("float64", "double"), `t.csv:5: precision = "double": write float64?`},
		{change("warm", "hot"), "t.csv:5: cache"},
		{change("128", "12x"), "t.csv:2: block"},
		{change("unroll=4", "unroll"), `params: "unroll": write name=value`},
		{change(",theirs", ","), "t.csv:4: kernel"},
		{change("a,graph,10", "a,graph,11"), "a has other features or another class than in line 2"},
		{change(",30,", ",3.5,"), "t.csv:2: nonzeros = 3.5 is not a whole number"},
		{change(",7,", ",,"), "t.csv:2: row_max is empty"},
		{change(",Y,", ""), "t.csv:5: the number of fields differs from the header's"},
		{change("first", `"first`), "t.csv:"},
		{change("a,graph,", strings.Repeat("a", 181)+",graph,"), "longer than 180 characters"},
		{change("128", "2147483648"), "t.csv:2: block"},
		{"matrix,rows,cols,nnz,kernel,precision,device,time_s\na,10,10,3000,k,float32,X,1\n",
			"t.csv:2: 3000 nonzeros do not fit into 10 rows and 10 columns"},
		{strings.SplitAfter(good, "\n")[0], "no rows with a time"},
		{strings.Repeat(",", mostColumns), "t.csv:1: more than 10000 columns"},
		{"a\n" + strings.Repeat("b\n", mostRows+1), "t.csv:1000002: more than 1000000 rows"},
		{"matrix,rows,cols,nnz,row_mean,kernel,precision,device,time_s\na,10,10,30,5,k,float32,X,1\n",
			"row_mean = 5, but nonzeros/rows is 3"},
	} {
		m, err := read(t, c.text, Options{})
		testkit.Fails(t, err, c.want)
		testkit.Equal(t, m, nil, "something was read in spite of")
	}
}

// All mistakes are told at once, by lines, but no more than one can read.
func TestManyMistakes(t *testing.T) {
	text := strings.Replace(strings.Replace(good, "12.5", "none", 1), "b,,5,5,", "b,,5,,", 1) +
		strings.Repeat("c,,1,1,1,1,k,float32,cold,,,,0,X,\n", 25)
	_, err := read(t, text, Options{})
	n := strings.Count(err.Error(), "\n")
	testkit.Check(t, n == mostErrors && strings.Contains(err.Error(), "and 17 more mistakes") &&
		strings.HasPrefix(err.Error(), "t.csv:2:"), "%d lines:\n%v", n, err)
}

// A database holds what was read, marked as somebody else's, and with the unknown unknown.
func TestRecord(t *testing.T) {
	m := testkit.Must(read(t, good, Options{}))
	db := testkit.Must(store.Open(filepath.Join(t.TempDir(), "r.db")))
	defer db.Close()
	testkit.Succeed(t, m.Record(t.Context(), db, "t", time.Unix(1, 0), func(int) {}))
	rows := testkit.Must(db.Results(t.Context(), store.Filter{}))
	testkit.Require(t, len(rows) == 3, "%d rows", len(rows))
	r := rows[0]
	testkit.Check(t, r.Device == "X (imported)" && DeviceName(r.Device) == r.Device &&
		r.Message == "imported from t.csv:2, not verified here" && math.IsNaN(r.GBPS), "recorded %+v", r)
	testkit.Check(t, math.Abs(r.Median-12e-6) <= 1e-12 && math.Abs(r.WithinLow-11.5e-6) <= 1e-12 && r.Taken == 2,
		"median %v, low %v, %d samples", r.Median, r.WithinLow, r.Taken)
	kept := testkit.Must(db.Features(t.Context()))
	if !kept[0].Features.Equal(m.Matrices[0].Features) {
		t.Errorf("features %+v became %+v", m.Matrices[0].Features, kept[0].Features)
	}
}

// Four times the rows take about four times the processor's time, whatever differs between them.
func TestImportsAreLinear(t *testing.T) {
	testkit.Long(t, "it imports 60,000 rows")
	const head = "matrix,rows,cols,nnz,device,kernel,precision,block,params,time_us\n"
	for _, row := range []string{"m#,9,9,9,X,k,float32,8,,1#", "m,9,9,9,X#,k,float32,8,,1#", "m,9,9,9,X,k#,float32,8,,1",
		"m,9,9,9,X,k,float32,8,p=#,1", "m,9,9,9,X,k,float32,1#,,1", "m,9,9,9,X,k,float32,8,,1#"} {
		took := func(n int) int64 {
			lines := make([]string, n)
			for i := range lines {
				lines[i] = strings.ReplaceAll(row, "#", strconv.Itoa(i))
			}
			var before, after unix.Rusage
			testkit.Succeed(t, unix.Getrusage(unix.RUSAGE_SELF, &before))
			m := testkit.Must(read(t, head+strings.Join(lines, "\n"), Options{}))
			db := testkit.Must(store.Open(filepath.Join(t.TempDir(), "r.db")))
			defer db.Close()
			testkit.Succeed(t, m.Record(t.Context(), db, "t", time.Unix(1, 0), func(int) {}))
			testkit.Must(db.DecideTies(t.Context()))
			testkit.Succeed(t, unix.Getrusage(unix.RUSAGE_SELF, &after))
			return unix.TimevalToNsec(after.Utime) - unix.TimevalToNsec(before.Utime)
		}
		// A collection of garbage may fall into one of the two.
		linear := slices.ContainsFunc(make([]int, 3), func(int) bool { return took(8000) < 6*took(2000) })
		testkit.Check(t, linear, "%s: 8000 rows took more than six times as long as 2000, three times", row)
	}
}

// Whatever the text, it is read whole or refused, and what is read makes sense.
func FuzzRead(f *testing.F) {
	f.Add(good)
	f.Add("matrix\trows\tcols\tnnz\tkernel\tgflops\na\t1\t1\t1\tk\t1\n")
	f.Add("\ufeffmatrix,rows\n\"a\nb\",1\n")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := read(t, text, Options{Device: "X", Precision: kernels.Float32})
		testkit.Require(t, (m == nil) != (err == nil), "both or none of %v and %v", m, err)
		if err != nil {
			return
		}
		names := map[string]bool{}
		for _, a := range m.Matrices {
			testkit.Check(t, a.Features.Rows >= 0 && a.Features.Nonzeros >= 0, "matrix %+v", a)
			names[a.Name] = true
		}
		for _, c := range m.Times {
			testkit.Check(t, names[c.Matrix] && c.Kernel != "" && len(c.Runs) != 0 && (c.Runs[0] > 0) && slices.IsSorted(c.Runs),
				"time %+v", c)
		}
	})
}

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
		testkit.Require(t, err == nil, "ending in %q: %v", end, err)
		testkit.Require(t, len(m.Times) == 2 && m.Failed == 1, "%d times, %d failed", len(m.Times), m.Failed)
		first := m.Times[0]
		want := kernels.Config{Kernel: "mine", Precision: kernels.Float32, Block: 32,
			Params: "block_size_y=2 layout=soa unroll=1"}
		testkit.Check(t, first.Config == want && first.Device == "A card" && first.Matrix == "a" && first.From == "c.json, entry 1",
			"%+v", first)
		testkit.Check(t, slices.Equal(first.Runs, []float64{2.5e-3}) &&
			slices.Equal(first.Samples, []float64{2.4e-3, 2.6e-3}), "runs %v, samples %v", first.Runs, first.Samples)
	}
}

// A parameter that an entry has as null is not set. Values may be any text.
func TestKernelTunerParameters(t *testing.T) {
	text := strings.Replace(tunerCache, `"layout": "soa", "time": 1.5`, `"layout": null, "time": 1.5`, 1)
	text = strings.Replace(text, `"unroll": 1, "layout": "soa", "time": 2.5`,
		`"unroll": "a = 1%", "layout": false, "time": 2.5`, 1)
	m := testkit.Must(Read(File{"c.json", strings.NewReader(text + "}}")}, facts(),
		Options{Matrix: "a", Precision: kernels.Float32}))
	testkit.Check(t, m.Times[0].Params == "block_size_y=2 layout=false unroll=a%20%3D%201%25" &&
		m.Times[1].Params == "block_size_y=2 unroll=2", "%q and %q", m.Times[0].Params, m.Times[1].Params)
}

// Of a list of times with other values the times are read, and numbers in such a list stay as they are written.
func TestMixedLists(t *testing.T) {
	for list, want := range map[string][]float64{
		"[2.4, 2.6, null]": {2.4e-3, 2.6e-3}, `["lost",2.4 , 2.6]`: {2.4e-3, 2.6e-3}, "[2.4, null, 2.6, 1e999]": {2.4e-3, 2.6e-3},
		"[null]": nil, "[]": nil, "null": nil, "2.4": nil,
	} {
		m := testkit.Must(Read(File{"c.json", strings.NewReader(strings.Replace(tunerCache, "[2.4, 2.6]", list, 1) + "}}")}, facts(),
			Options{Matrix: "a", Precision: kernels.Float32}))
		testkit.Check(t, slices.Equal(m.Times[0].Samples, want), "of %s: %+v", list, m)
	}

	root := testkit.Must(parseTree([]byte("[9007199254740993 ,\n 12345678, null, 1.50]")))
	var texts []string
	for _, item := range list(root) {
		texts = append(texts, text(item))
	}
	testkit.EqualLists(t, texts, []string{"9007199254740993", "12345678", "", "1.50"}, "texts")
}

// The example of the auto-tuning community is read.
func TestKernelTunerExample(t *testing.T) {
	f, err := os.Open("../../../shared/schemas/kernel-tuner-cache-example.json")
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	m := testkit.Must(Read(File{f.Name(), f}, facts(), Options{Matrix: "a", Precision: kernels.Float32}))
	testkit.Check(t, len(m.Times) == 10 && m.Times[1].Block == 1024 && len(m.Times[1].Samples) == 10, "%+v", m)
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
	m := testkit.Must(Read(File{"n.json", strings.NewReader(fmt.Sprintf(nvbenchFile, nvbenchState))}, facts(),
		Options{Columns: names}))
	testkit.Require(t, len(m.Times) == 1 && m.Failed == 1, "%+v", m)
	want := kernels.Config{Kernel: "spmv", Precision: kernels.Float64, Block: 128}
	got := m.Times[0]
	testkit.Check(t, got.Config == want && got.Device == "A card" && got.Cache == trial.Cold &&
		slices.Equal(got.Runs, []float64{2.5e-5}) && got.From == "n.json, entry 1", "%+v", got)

	names["kernel"] = "Input"
	delete(names, "matrix")
	m = testkit.Must(Read(File{"n.json", strings.NewReader(fmt.Sprintf(nvbenchFile, nvbenchState))}, facts(),
		Options{Columns: names, Matrix: "a"}))
	testkit.Check(t, m.Times[0].Kernel == "a" && m.Times[0].Matrix == "a" &&
		m.Times[0].Params == "benchmark=spmv" && len(m.Unused) == 0, "%+v", m)
}

// Axes that no column has keep states apart.
func TestNVBenchAxes(t *testing.T) {
	other := strings.Replace(nvbenchState, `"value": "128"}`,
		`"value": "128"}, {"name": "Items", "type": "int64", "value": "2"}`, 1)
	third := strings.Replace(other, `"value": "2"`, `"value": "4 each"`, 1)
	text := fmt.Sprintf(nvbenchFile, nvbenchState+",\n"+other+",\n"+third+",\n"+third)
	names := map[string]string{"matrix": "Input", "precision": "T", "block": "Threads"}
	m := testkit.Must(Read(File{"n.json", strings.NewReader(text)}, facts(), Options{Columns: names}))
	var got []string
	for _, time := range m.Times {
		got = append(got, fmt.Sprint(time.Block, " ", time.Params, " ", len(time.Runs)))
	}
	want := []string{"128  1", "128 Items=2 1", "128 Items=4%20each 2"}
	testkit.Check(t, slices.Equal(got, want) && len(m.Unused) == 0, "%q, want %q; not used: %q", got, want, m.Unused)
	names["params"] = "Items"
	m, err := Read(File{"n.json", strings.NewReader(strings.ReplaceAll(text, "4 each", "k=4"))}, facts(),
		Options{Columns: names})
	testkit.Fails(t, err, `params: "2": write name=value`, "an axis that is called the parameters: %+v", m)
}

// Mistakes name the file, and the line or the entry.
func TestJSONMistakes(t *testing.T) {
	inside, values := mostInside, mostValues
	mostInside, mostValues = 2000, 10_000
	defer func() { mostInside, mostValues = inside, values }()
	for _, tt := range []struct{ text, want string }{
		{"{}", "x.json is JSON, but neither a cache of Kernel Tuner, nor T4, nor what nvbench writes"},
		{"{\n\"a\": 1,\n?}", "x.json:3: invalid character"},
		{"{\"a\": 1}\n7", "x.json:1: there is more text"},
		{strings.Repeat(`{"a":`, 1500), "x.json:1: unexpected EOF"},
		{strings.Replace(tunerCache, `"time": 1.5`, `"time": -1`, 1), `x.json, entry 3: time_ms = "-1" is not a positive number`},
		{strings.Replace(tunerCache, `"unroll": 2, `, ``, 1), `x.json, entry 3: params: "unroll="`},
		{"{\n\"a\": [" + strings.Repeat(`[],`, mostInside) + "1]}", "x.json:1: too many values: import the file in pieces"},
		{"{\n\"a\": [" + strings.Repeat(`1,`, mostValues+1) + "1]}", "x.json:1: too many values"},
		{strings.Replace(tunerCache, `"time": 1.5`, `"power": 1`, 1), `x.json, entry 3: time_ms = ""`},
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
		testkit.Check(t, err != nil || len(m.Times) != 0, "nothing was read, and there is no error")
	})
}
