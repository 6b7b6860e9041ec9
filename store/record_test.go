// SPDX-License-Identifier: Apache-2.0

package store

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/trial"
)

// A full disk is named with what to do, and what was recorded before is kept.
func TestFullDisk(t *testing.T) {
	db := started(t)
	record(t, db, good("cpu_csr", 32))
	testkit.Must(db.write.Exec("PRAGMA max_page_count = 1")) // no page more than there are
	var err error
	for block := 64; err == nil && block < 1<<20; block += 32 {
		err = db.Record(t.Context(), good("cpu_csr", block))
	}
	testkit.Fails(t, err, "free some space and run again", "recording on a full disk")
	gives(t, db, "SELECT count(*) FROM trial WHERE block = 32", int64(1), "trials of before are left")
}

func TestRecordIsIdempotent(t *testing.T) {
	fault := good("cpu_csr", 32, failing(trial.Fault, "the worker died"))
	timeout := good("cpu_csr", 32, failing(trial.Timeout, "no answer in 10s"))
	fast, slow := good("cpu_csr", 32, takes(1)), good("cpu_csr", 32, takes(2))
	for _, tt := range []struct {
		name    string
		results []trial.Result
		want    trial.Result
	}{
		{"good again", []trial.Result{fast, slow}, fast},
		{"a failure after a good one", []trial.Result{fast, fault}, fast},
		{"a good one after a failure", []trial.Result{fault, slow}, slow},
		{"a failure after a failure", []trial.Result{fault, timeout}, timeout},
		{"all of it", []trial.Result{timeout, fault, slow, fault, fast, timeout}, slow},
	} {
		t.Run(tt.name, func(t *testing.T) {
			db := started(t)
			record(t, db, tt.results...)
			rows := testkit.Must(db.Results(t.Context(), Filter{}))
			testkit.Require(t, len(rows) == 1, "%d rows, want 1", len(rows))
			r := rows[0]
			testkit.Check(t, r.Status == tt.want.Status && r.Message == tt.want.Message && r.Taken == len(tt.want.Samples),
				"kept %s %q with %d samples, want %s %q with %d", r.Status, r.Message, r.Taken, tt.want.Status, tt.want.Message, len(tt.want.Samples))
			if tt.want.Status == trial.OK && math.Abs(r.Median-tt.want.Median) > 1e-12 {
				t.Errorf("kept %v s, want %v", r.Median, tt.want.Median)
			}
		})
	}
}

func TestSamplesComeBack(t *testing.T) {
	db := started(t)
	r := good("cpu_csr", 32, func(r *trial.Result) {
		r.Samples = []float64{3e-3, 1.234567e-3, 2e-9, 7.654321e-3} // to the nanosecond
	})
	record(t, db, r, good("cpu_csr", 64, failing(trial.OOM, "")))
	samples := func(id string) []float64 {
		return testkit.Must(db.Recorded(t.Context(), []string{id}, trial.Full))[id].Samples
	}
	got := samples(r.ID)
	testkit.Require(t, len(got) == len(r.Samples), "%d samples, want %d", len(got), len(r.Samples))
	for i := range got {
		testkit.Equal(t, math.Round(1e9*got[i]), math.Round(1e9*r.Samples[i]), "sample %d is %v, want %v", i, got[i], r.Samples[i])
	}
	for _, id := range []string{good("cpu_csr", 64).ID, "unknown"} {
		testkit.Equal(t, len(samples(id)), 0, "a trial without samples has")
	}
}

func TestRecordNeedsItsRun(t *testing.T) {
	db := create(t)
	refuse := func(r trial.Result) {
		t.Helper()
		testkit.Fails(t, db.Record(t.Context(), r), "", "recorded")
	}
	refuse(good("cpu_csr", 32))
	refuse(again(good("cpu_csr", 32), time.Minute, 1))
	begin(t, db, testRun())
	refuse(good("cpu_csr", 32))
	describe(t, db, testMatrix("grid"))
	refuse(good("never_heard_of", 32))
	testkit.Equal(t, len(testkit.Must(db.Count(t.Context()))), 0, "counts are")
}

// A kernel whose source has changed is measured again; what it was before no
// longer wins, though it stays among the results.
func TestNewSourceSupersedes(t *testing.T) {
	db := started(t)
	record(t, db, good("cpu_csr", 32, takes(1), identity("old")), good("cpu_csr", 64, takes(3), identity("still")))
	run := testRun()
	run.Sources["cpu_csr"] = "2"
	begin(t, db, run)
	record(t, db, good("cpu_csr", 32, takes(2), identity("new"), later))
	testkit.Equal(t, bestOf(t, db), "cpu_csr 32 50% 1", "best")
	rows := testkit.Must(db.Results(t.Context(), Filter{}))
	testkit.Check(t, len(rows) == 2 && rows[0].Median == 3e-3 && rows[1].Median == 2e-3,
		"results are %+v, want each configuration's newest", rows) // as they were recorded
	gives(t, db, "SELECT count(*) FROM results", int64(3), "the view has")
	gives(t, db, "SELECT group_concat(median_ms) FROM speedup", "2.0", "speedup compares")
	kernels := testkit.Must(db.Kernels(t.Context()))
	i := slices.IndexFunc(kernels, func(k Kernel) bool { return k.Name == "cpu_csr" })
	testkit.Check(t, kernels[i].Digest == "1" && kernels[i+1].Digest == "2" && kernels[i+1].Format == "csr",
		"kernels are %+v", kernels)
}

// A new content under an old name takes the name over.
func TestChangedMatrix(t *testing.T) {
	db := started(t)
	record(t, db, good("cpu_csr", 32))
	changed := testMatrix("grid")
	changed.Hash, changed.Class = "0123456789abcdef", "other"
	describe(t, db, changed)
	record(t, db, good("cpu_csr", 32, func(r *trial.Result) { r.Matrix = changed.Hash }))
	names := func() string {
		t.Helper()
		return one(t, db, "SELECT group_concat(matrix || ' ' || class, ', ') FROM (SELECT * FROM features ORDER BY matrix)").(string)
	}
	testkit.Equal(t, names(), "grid other, grid~-of-grid grid", "matrices")
	describe(t, db, testMatrix("grid")) // and back again
	testkit.Equal(t, names(), "grid grid, grid~89abcdef other", "matrices")
}

func TestBeginAgain(t *testing.T) {
	db := create(t)
	run := testRun()
	begin(t, db, run)
	run.Roof = kernels.Roof{Read: 25, Copy: 5, Triad: 5, Gather: 3}
	run.Version = "later"
	begin(t, db, run)
	run.Device.Driver = "go1.27"
	run.Sweep.Text = []byte("name = \"quick\"\n# edited\n")
	begin(t, db, run)
	sweeps := testkit.Must(db.Sweeps(t.Context()))
	testkit.Check(t, len(sweeps) == 2 && sweeps[0].Version == "later" && sweeps[0].Title == "A quick one" &&
		sweeps[1].Text == string(run.Sweep.Text) && sweeps[0].ProtocolText == run.Protocol &&
		sweeps[0].Protocol.Warmup == 3 && time.Since(sweeps[0].Started) <= time.Hour, "sweeps are %+v", sweeps)
	devices := testkit.Must(db.Devices(t.Context()))
	testkit.Require(t, len(devices) == 2 && devices[0].Label == "Testcore 9000" && devices[0].Driver == "go1.27" &&
		devices[1].Label == "Testcore 9000 (cpu go1.26)" && devices[1].Name == "Testcore 9000", "devices are %+v", devices)
	testkit.Equal(t, devices[1].Roof, (kernels.Roof{Read: 25, Copy: 20, Triad: 16, Gather: 3}), "the roof is")
	testkit.Check(t, devices[1].Properties["governor"] == "performance" && devices[1].Memory == 8<<30,
		"device is %+v", devices[1])
}

func TestRules(t *testing.T) {
	db := create(t)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, r := range []SavedRule{
		{"a", at, []byte(`{"version":1}`)},
		{"b", at.Add(time.Hour), []byte(`{"version":2}`)},
		{"b", at.Add(2 * time.Hour), []byte(`{"version":3}`)},
	} {
		testkit.Succeed(t, db.SaveRule(t.Context(), r))
	}
	testkit.EqualLists(t, slices.Concat(query(t, db, "SELECT json, learned FROM rule ORDER BY sweep").Rows...), []any{
		`{"version":1}`, at.UnixMilli(), `{"version":3}`, at.Add(2 * time.Hour).UnixMilli()}, "the rules are")
}

// A plan is told what trials took on devices of the same model.
func TestHistory(t *testing.T) {
	db := started(t)
	r := good("cpu_csr_rows", 32, takes(2))
	record(t, db, r, good("cpu_csr_rows", 64, takes(3), func(r *trial.Result) { r.Status = trial.Fault }))
	history := func(dev kernels.Device) (list []trial.Result, sizes []trial.Size) {
		testkit.Succeed(t, db.History(t.Context(), dev, func(r trial.Result, size trial.Size) {
			list, sizes = append(list, r), append(sizes, size)
		}))
		return list, sizes
	}
	list, sizes := history(testRun().Device)
	testkit.Require(t, len(list) == 1 && list[0].Config == r.Config && list[0].Median == r.Median &&
		list[0].Matrix == r.Matrix, "the history is %+v", list)
	l := list[0]
	testkit.Check(t, l.Batch == r.Batch && l.Seconds == r.Seconds && sizes[0].Nonzeros == 5000,
		"of a trial: %+v of %+v", l, sizes[0])
	other := testRun().Device
	other.Name = "another"
	list, _ = history(other)
	testkit.Equal(t, len(list), 0, "of another device, trials")
}

// A search that goes on is told of each trial what it was told when it was measured, to the
// bit of a float32, and nothing of others; however many it asks for.
func TestKnown(t *testing.T) {
	db := started(t)
	fine := good("cpu_csr_rows", 32, identity("fine"), between(1.9, 2, 2.2), func(r *trial.Result) {
		r.Samples = []float64{2.1e-3, 1.9e-3, 2e-3}
	})
	wrong := good("cpu_csr_rows", 64, identity("wrong"), failing(trial.Wrong, "row 3 is off"))
	old := good("cpu_sell", 8, identity("old"))
	record(t, db, fine, wrong, old, good("cpu_sell", 8, identity("new"),
		func(r *trial.Result) { r.At = r.At.Add(time.Hour) }),
		final(fine, time.Minute, 2.03), again(fine, 2*time.Minute, 2.5), final(fine, 3*time.Minute, 2.01))
	ids := []string{"fine"}
	for i := range 12_000 { // more than are looked up at once
		ids = append(ids, fmt.Sprint("nobody ", i))
	}
	known := testkit.Must(db.Recorded(t.Context(), append(ids, "wrong", "old"), trial.Full))
	testkit.Require(t, len(known) == 3, "%d are known", len(known))
	k := known["fine"]
	testkit.Check(t, k.Status == trial.OK && k.Median == 2e-3 && k.WithinLow == 1.9e-3 && k.WithinHigh == 2.2e-3,
		"of a good trial: %+v", k)
	if !slices.EqualFunc(k.Samples, fine.Samples, func(a, b float64) bool { return a == float64(float32(b)) }) {
		t.Errorf("its samples are %v, want %v in this order", k.Samples, fine.Samples)
	}
	if want := []float64{2.03e-3, 2.01e-3}; !slices.EqualFunc(k.LeaderMedians(), want, func(a,
		b float64) bool {
		return math.Abs(a-b) < 1e-12
	}) {
		t.Errorf("its finals are %v, want %v: sentinels are none", k.LeaderMedians(), want)
	}
	if k := known["wrong"]; k.Status != trial.Wrong || k.Median != 0 || len(k.Samples) > 0 {
		t.Errorf("of a wrong one: %+v", k)
	}
	testkit.Equal(t, known["old"].Status, trial.OK, "of one that was measured anew") // of its own identity, though another has taken its place
}

func TestLaunches(t *testing.T) {
	db := started(t)
	facts := func(occupancy float64) func(*trial.Result) {
		return func(r *trial.Result) { r.Properties = map[string]float64{"occupancy": occupancy} }
	}
	record(t, db,
		good("coo_atomic", 32, takes(3), facts(0.25)),
		good("coo_atomic", 64, takes(2), facts(0.5)),
		good("coo_atomic", 128, failing(trial.Wrong, "row 7 is off")),
		good("coo_atomic", 256, takes(1), facts(0.9), identity("old")),
		good("coo_atomic", 256, takes(4), facts(1), identity("new"), later),
		good("cpu_csr", 0, takes(0.5)),
	)
	got := testkit.Must(db.Launches(t.Context()))
	testkit.Require(t, len(got) == 2 && got[1].Kernel == "cpu_csr",
		"%d launches, want one of each kernel: %+v", len(got), got)
	l := got[0]
	testkit.Check(t, l.Kernel == "coo_atomic" && l.Matrix == "grid" && l.Block == 64 && l.Properties["occupancy"] == 0.5,
		"launch %+v, want that of block 64: the fastest that is in force", l)
}

// A change of a kernel that is undone is not measured again, but counts again: here, and where databases
// are united, in any order. So do trials that another database had last.
func TestWhatARunWantsCounts(t *testing.T) {
	first, changed := good("cpu_csr", 32, identity("first")), good("cpu_csr", 32, identity("changed"), takes(0.5), later)
	brief := good("cpu_csr", 32, identity("brief"), briefly)
	a := started(t)
	record(t, a, first, changed, brief, good("cpu_sell", 8, takes(0.7)))
	everybodySays(t, a, "cpu_csr 32, cpu_sell 8", "cpu_csr 32", "cpu_csr 32,cpu_sell 8")
	testkit.Succeed(t, a.Ask(t.Context(), []string{"first", "brief", "unknown"}))
	everybodySays(t, a, "cpu_csr 32, cpu_sell 8", "cpu_sell 8", "cpu_csr 32,cpu_sell 8")

	before, remeasured := started(t), started(t)
	record(t, before, first, changed)
	record(t, remeasured, good("cpu_csr", 32, identity("first"), at(3600)))
	for i, order := range [][]*DB{{a, before}, {before, a}, {before, remeasured}, {remeasured, before}} {
		db := gather(t, Choice{}, order...)
		rows := testkit.Must(db.Results(t.Context(), Filter{Kernel: "cpu_csr"}))
		testkit.Check(t, len(rows) == 1 && rows[0].ID == "first" && rows[0].At.Equal(first.At), "order %d: %v", i, rows)
		asked := fmt.Sprint(one(t, db, "SELECT group_concat(identity) FROM trial WHERE asked IS NOT NULL"))
		testkit.Equal(t, asked, "first", "order %d: were wanted", i)
	}
}

// The definition of a kernel that a sweep brings is kept with its source, and goes along from one
// database to another.
func TestOwnKernelsAreKept(t *testing.T) {
	own := kernels.Custom{
		Kernel: kernels.Kernel{Name: "mine", Backend: "cpu", Format: kernels.COO, Custom: true},
		Entry:  "f", File: "m.c", Files: map[string]string{"m.c": "text with ' and \x00"},
	}
	run := testRun()
	run.Sources["mine"] = "digest"
	run.Custom = []kernels.Custom{own}
	from, to := create(t), create(t)
	imports(t, from, Batch{Run: &run, Matrices: []trial.Matrix{testMatrix("grid")}, Results: []trial.Result{good("mine", 64)}})
	testkit.Must(to.Import(t.Context(), from.batches(t.Context(), nil)))
	for _, db := range []*DB{from, to} {
		list := testkit.Must(db.Kernels(t.Context()))
		known := 0
		for _, k := range list {
			if k.Own != nil {
				known++
				testkit.Check(t, k.Name == "mine" && k.Format == kernels.COO && reflect.DeepEqual(*k.Own, own),
					"%s is %+v", k.Name, k.Own)
			}
		}
		testkit.Equal(t, known, 1, "kernels have a definition")
	}
}

// Whatever comes, in whatever order, the trials that count are those that count by the rules for a whole case.
func TestRecordingOneByOneDecidesAsAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range testkit.Draws(30) {
		db := create(t)
		for step := range 25 {
			run := testRun()
			run.Sources["cpu_csr"] = fmt.Sprint(rng.IntN(2))
			begin(t, db, run)
			describe(t, db, testMatrix("grid"))
			r := good("cpu_csr", rng.IntN(2), at(rng.IntN(8)), identity(fmt.Sprint("id", rng.IntN(15))))
			r.Measurement = rng.IntN(3)
			switch rng.IntN(5) {
			case 0:
				failing(trial.Fault, "why")(&r)
			case 1:
				r.Stop = trial.StopSearch
			}
			record(t, db, r)
			result := testkit.Must(db.write.Exec(decideCase, 1, 1, r.Precision, r.Cache))
			n, _ := result.RowsAffected()
			testkit.Require(t, n == 0, "step %d: %+v changes %d other marks when all are decided", step, r, n)
		}
	}
}

// BenchmarkNewSource records trials of a new source of a kernel, where the case has as many of the old one: each takes
// the place of another.
func BenchmarkNewSource(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			db := started(b)
			measured := func(id string, i int) trial.Result {
				return good("cpu_csr", i, identity(fmt.Sprint(id, i)), func(r *trial.Result) { r.Measurement = 3 })
			}
			var list []trial.Result
			for i := range n {
				list = append(list, measured("old", i))
			}
			run := testRun()
			if _, err := db.Import(b.Context(), batches(Batch{Run: &run, Results: list, Matrices: []trial.Matrix{testMatrix("grid")}})); err != nil {
				b.Fatal(err)
			}
			run.Sources["cpu_csr"] = "2"
			begin(b, db, run)
			for i := 0; b.Loop(); i++ {
				r := measured("new", i%n)
				r.ID, r.At = fmt.Sprint("new", i), r.At.Add(time.Duration(i+1)*time.Minute)
				record(b, db, r)
			}
		})
	}
}
