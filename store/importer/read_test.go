package importer

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"spmvtune/internal/testing/testkit"
	"spmvtune/kernels"
	"spmvtune/sparse"
	"spmvtune/store"
	"spmvtune/tuner/trial"
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
	if len(m.Matrices) != 2 || len(m.Times) != 3 || !slices.Equal(m.Unused, []string{"comment"}) {
		t.Fatalf("%d matrices, %d times, not used: %v", len(m.Matrices), len(m.Times), m.Unused)
	}
	first := m.Times[0]
	want := kernels.Config{Kernel: "mine", Precision: kernels.Float32, Block: 128,
		Params: kernels.Params("tile=2 unroll=4")}
	if first.Config.String() != want.String() || first.Device != "X" || first.Cache != trial.Cold || first.Line != 2 {
		t.Errorf("read %+v", first)
	}
	if len(first.Runs) != 2 || math.Abs(first.Runs[0]-11.5e-6) > 1e-12 {
		t.Errorf("runs %v, want 11.5 and 12.5 µs", first.Runs)
	}
	f := m.Matrices[0].Features
	if f.RowMax != 7 || f.RowMean != 3 || f.RowMin != sparse.Unknown || !math.IsNaN(f.RowGini) || !math.IsNaN(f.RowStd) {
		t.Errorf("features %+v", f)
	}
}

// Two tables, with names of their own, say the same as one.
func TestJoin(t *testing.T) {
	times := "who\tk\tgflops\na\tx\t2\n"
	facts := "matrix,m,n,nnz\nunmeasured,1,1,1\na,10,10,40\n"
	m := testkit.Must(Read(File{"t.tsv", strings.NewReader(times)}, &File{"f.csv", strings.NewReader(facts)}, Options{
		Columns: map[string]string{"kernel": "k", "rows": "m", "cols": "n", "matrix": "who"},
		Device:  "X", Precision: kernels.Float64,
	}))
	if len(m.Matrices) != 1 || m.Matrices[0].Features.Nonzeros != 40 {
		t.Errorf("matrices %+v", m.Matrices)
	}
	if got := m.Times[0].Runs[0]; math.Abs(got-40e-9) > 1e-18 {
		t.Errorf("80 operations at 2 GFLOP/s took %v s", got)
	}
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
		{change("float64", "double"), `t.csv:5: precision = "double": write float32 or float64`},
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
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q, of\n%s", err, c.want, c.text)
		}
		if m != nil {
			t.Errorf("something was read in spite of %v", err)
		}
	}
}

// Mistakes are told in the order of their lines, whichever column they are in.
func TestMistakesInOrder(t *testing.T) {
	text := strings.Replace(strings.Replace(good, "12.5", "none", 1), "b,,5,5,", "b,,5,,", 1)
	_, err := read(t, text, Options{})
	if err == nil {
		t.Fatal("two mistakes are none")
	}
	if two, five := strings.Index(err.Error(), "t.csv:2:"), strings.Index(err.Error(),
		"t.csv:5:"); two < 0 || five < two {
		t.Errorf("line 2 at %d, line 5 at %d:\n%v", two, five, err)
	}
}

// All mistakes are told at once, but no more than one can read.
func TestManyMistakes(t *testing.T) {
	text := good + strings.Repeat("c,,1,1,1,1,k,float32,cold,,,,0,X,\n", 25)
	_, err := read(t, text, Options{})
	if n := strings.Count(err.Error(), "\n"); n != mostErrors || !strings.Contains(err.Error(),
		"and 15 more mistakes") {
		t.Errorf("%d lines:\n%v", n, err)
	}
}

// A database holds what was read, marked as somebody else's, and with the unknown unknown.
func TestRecord(t *testing.T) {
	m := testkit.Must(read(t, good, Options{}))
	db := testkit.Must(store.Open(filepath.Join(t.TempDir(), "r.db")))
	defer db.Close()
	testkit.Succeed(t, m.Record(t.Context(), db, "t", time.Unix(1, 0)))
	rows := testkit.Must(db.Results(t.Context(), store.Filter{}))
	if len(rows) != 3 {
		t.Fatalf("%d rows", len(rows))
	}
	r := rows[0]
	if r.Device != "X (imported)" || r.Message != "imported from t.csv:2, not verified here" || !math.IsNaN(r.GBPS) {
		t.Errorf("recorded %+v", r)
	}
	if math.Abs(r.Median-12e-6) > 1e-12 || math.Abs(r.WithinLow-11.5e-6) > 1e-12 || r.Taken != 2 {
		t.Errorf("median %v, low %v, %d samples", r.Median, r.WithinLow, r.Taken)
	}
	kept := testkit.Must(db.Features(t.Context()))
	if !kept[0].Features.Equal(m.Matrices[0].Features) {
		t.Errorf("features %+v became %+v", m.Matrices[0].Features, kept[0].Features)
	}
}

// Whatever the text, it is read whole or refused, and what is read makes sense.
func FuzzRead(f *testing.F) {
	f.Add(good)
	f.Add("matrix\trows\tcols\tnnz\tkernel\tgflops\na\t1\t1\t1\tk\t1\n")
	f.Add("\ufeffmatrix,rows\n\"a\nb\",1\n")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := read(t, text, Options{Device: "X", Precision: kernels.Float32})
		if (m == nil) == (err == nil) {
			t.Fatalf("both or none of %v and %v", m, err)
		}
		if err != nil {
			return
		}
		names := map[string]bool{}
		for _, a := range m.Matrices {
			if a.Features.Rows < 0 || a.Features.Nonzeros < 0 {
				t.Errorf("matrix %+v", a)
			}
			names[a.Name] = true
		}
		for _, c := range m.Times {
			if !names[c.Matrix] || c.Kernel == "" || len(c.Runs) == 0 || !(c.Runs[0] > 0) || !slices.IsSorted(c.Runs) {
				t.Errorf("time %+v", c)
			}
		}
	})
}
