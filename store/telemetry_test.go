// SPDX-License-Identifier: Apache-2.0

package store

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/trial"
)

// sensed gives a trial what all sensors say.
func sensed(r *trial.Result) {
	r.Telemetry = &trial.Telemetry{SMClock: 1755, MemoryClock: 2619, Temperature: 60, Power: 650.5, Energy: 0.125,
		Reasons: kernels.SWPowerCap | kernels.HWSlowdown, HasReasons: true, Repeated: 12, Throttled: 6}
	r.Warnings = []string{"hot"}
}

// telemetry is the view without what results has, too.
func telemetry(t *testing.T, db *DB) string {
	t.Helper()
	return fmt.Sprint(query(t, db, `SELECT block, node, uuid, job, sm_mhz, memory_mhz, celsius, watts, joules, clock_reasons,
		repeated, throttled, warnings FROM telemetry ORDER BY block`).Rows)
}

func TestTelemetry(t *testing.T) {
	db := started(t)
	record(t, db, good("cpu_csr", 32, sensed), good("cpu_csr", 64), good("cpu_csr", 128, func(r *trial.Result) {
		r.Telemetry = &trial.Telemetry{SMClock: 1980}
	}), good("cpu_csr", 256, func(r *trial.Result) { r.Telemetry = &trial.Telemetry{HasReasons: true} }))
	want := "[[32 n1 GPU-1 12_3 1755 2619 60 650.5 0.125 sw_power_cap hw_slowdown 12 6 [\"hot\"]] " +
		"[64 n1 GPU-1 12_3 <nil> <nil> <nil> <nil> <nil> <nil> <nil> <nil> <nil>] " +
		"[128 n1 GPU-1 12_3 1980 <nil> <nil> <nil> <nil> <nil> 0 0 <nil>] " +
		"[256 n1 GPU-1 12_3 <nil> <nil> <nil> <nil> <nil>  0 0 <nil>]]"
	testkit.Equal(t, telemetry(t, db), want, "telemetry")
}

// What others did to the processor stays with a trial, also where databases are put together.
func TestHostIsKept(t *testing.T) {
	db := started(t)
	use := trial.HostUse{Cores: 4, Others: 1, Stolen: 0.5, Switches: 30, Own: 2, Load: 7.5}
	record(t, db, good("cpu_csr", 32, func(r *trial.Result) { r.Host = use }), good("cpu_csr", 64))
	gathered := testkit.Must(Gather(t.Context(), filepath.Join(t.TempDir(), "all.db"), []string{db.Path()}, Choice{Kernels: []string{"cpu_csr"}}))
	defer gathered.Close()
	for _, from := range []*DB{db, gathered} {
		const want = "[[0.25 0.125 15 7.5] [<nil> <nil> <nil> <nil>]]"
		got := fmt.Sprint(query(t, from, "SELECT others, stolen, switches, load FROM telemetry ORDER BY block").Rows)
		testkit.Equal(t, got, want, "telemetry")
		rows := testkit.Must(from.Results(t.Context(), Filter{}))
		testkit.Check(t, len(rows) == 2 && rows[0].Host == use && rows[1].Host == (trial.HostUse{}), "read %+v", rows)
	}
}

// The names of the reasons in the view are those of the warnings.
func TestReasonsHaveTheirNames(t *testing.T) {
	db := started(t)
	all := kernels.ClockReasons(0x1ff) &^ kernels.GPUIdle
	record(t, db, good("cpu_csr", 32, func(r *trial.Result) {
		r.Telemetry = &trial.Telemetry{Reasons: all, HasReasons: true}
	}))
	gives(t, db, "SELECT clock_reasons FROM telemetry", all.String(), "the view has")
}

// Trials have the origin of their run; runs of one origin share a row.
func TestOrigins(t *testing.T) {
	db := started(t)
	record(t, db, good("cpu_csr", 32))
	begin(t, db, testRun())
	record(t, db, good("cpu_csr", 64))
	elsewhere, nowhere := testRun(), testRun()
	elsewhere.Origin, nowhere.Origin = trial.Origin{Node: "laptop"}, trial.Origin{}
	begin(t, db, elsewhere)
	record(t, db, good("cpu_csr", 128))
	begin(t, db, nowhere)
	record(t, db, good("cpu_csr", 256))
	testkit.Equal(t, fmt.Sprint(query(t, db, "SELECT node, uuid, job FROM telemetry ORDER BY block").Rows),
		"[[n1 GPU-1 12_3] [n1 GPU-1 12_3] [laptop <nil> <nil>] [<nil> <nil> <nil>]]", "origins")
	gives(t, db, "SELECT count(*) FROM origin", int64(2), "origins are kept")
}

// A failure that is measured again elsewhere has the new origin and its sensors.
func TestTelemetryIsReplaced(t *testing.T) {
	db := started(t)
	record(t, db, good("cpu_csr", 32, failing(trial.Fault, "crashed")))
	run := testRun()
	run.Origin.Node = "n2"
	begin(t, db, run)
	record(t, db, good("cpu_csr", 32, sensed, at(1)))
	got := telemetry(t, db)
	testkit.Check(t, strings.HasPrefix(got, "[[32 n2 GPU-1 12_3 1755"), "telemetry is %s", got)
}

// again is a sentinel: r measured once more, so much later, so many ms.
func again(r trial.Result, later time.Duration, ms float64) trial.Result {
	r.Sentinel = true
	r.At = r.At.Add(later)
	takes(ms)(&r)
	r.Samples = repeated(ms)
	return r
}

// repeated are 12 samples around a time in ms, all different, within ± 0.2%.
func repeated(ms float64) []float64 {
	var s []float64
	for i := range 12 {
		s = append(s, 1e-3*ms*(1+0.002*(float64(i)-5.5)/5.5))
	}
	return s
}

// A drift says which trial each of its points measured again. A second sentinel goes on where the first one left the
// device, and not at 1.
func TestDriftsNameTrials(t *testing.T) {
	db := started(t)
	first := good("cpu_csr_rows", 64, takes(1), func(r *trial.Result) { r.Samples = repeated(1) })
	second := good("cpu_csr_rows", 256, takes(2), func(r *trial.Result) {
		r.Samples, r.At = repeated(2), r.At.Add(time.Hour)
	})
	record(t, db, first, second, again(first, time.Minute, 1.1), again(second, time.Minute, 2))
	drifts := testkit.Must(db.Drifts(t.Context()))
	testkit.Require(t, len(drifts) == 1, "drifts %v, want one", drifts)
	var got []string
	for _, p := range drifts[0].Points {
		got = append(got, fmt.Sprintf("%s %d %.1f", p.Trial.Kernel, p.Trial.Block, p.Value))
	}
	want := []string{"cpu_csr_rows 64 1.0", "cpu_csr_rows 64 1.1", "cpu_csr_rows 256 1.1", "cpu_csr_rows 256 1.1"}
	testkit.EqualLists(t, got, want, "points")
	d := drifts[0]
	testkit.Check(t, d.Matrix == "grid" && d.Device != "" && d.Cache == first.Cache,
		"drift of %s on %s, %s cache", d.Matrix, d.Device, d.Cache)
}

// What was counted is beside the trial it belongs to, in the view and among the facts of
// its launch; what was not is null, and absent.
func TestCounts(t *testing.T) {
	db := started(t)
	record(t, db,
		good("coo_atomic", 32, identity("a"), func(r *trial.Result) {
			r.Params, r.Properties = kernels.Params("tile=8"), map[string]float64{"registers": 16, "shared_bytes": 64}
		}),
		good("coo_atomic", 64, identity("slow"), takes(2)),
		good("coo_atomic", 128, identity("bad"), failing(trial.Wrong, "row 7 is off")),
		good("cpu_csr", 0, identity("other")))
	trials := testkit.Must(db.Chosen(t.Context(), "block = 32 -- whatever is said"))
	testkit.Require(t, len(trials) == 1 && trials[0].ID == "a" && trials[0].Params == "tile=8", "chosen: %+v", trials)
	testkit.Fails(t, testkit.Err(db.Chosen(t.Context(), "1); DELETE FROM trial; SELECT (1")), "", "a condition holds a second statement")
	one := testkit.Must(db.Results(t.Context(), Filter{ID: "slow"}))
	testkit.Check(t, len(one) == 1 && one[0].Block == 64, "the trial slow: %+v", one)
	for _, counts := range []map[string]Counts{
		{"a": {"occupancy": 0.1, "warp_efficiency": 0.25}, "nobody": {}},
		{"a": {"occupancy": 0.5, "sectors": 3}}, // again
	} {
		testkit.Succeed(t, db.SaveCounts(t.Context(), counts))
	}
	rows := query(t, db, "SELECT kernel, block, params, occupancy, warp_efficiency, load_efficiency FROM profile").Rows
	testkit.Check(t, len(rows) == 1 && rows[0][0] == "coo_atomic" && rows[0][2] == "tile=8" && rows[0][3] == 0.5 &&
		rows[0][4] == 0.25 && rows[0][5] == nil, "profile: %v", rows)
	launches := testkit.Must(db.Launches(t.Context()))
	testkit.Require(t, len(launches) == 2, "launches %+v", launches)
	facts := launches[0].Properties
	_, known := facts["load_efficiency"]
	testkit.Check(t, !known && facts["registers"] == 16 && facts["sectors"] == 3 && facts["achieved_occupancy"] == 0.5 &&
		facts["warp_efficiency"] == 0.25, "facts %v", facts)
}

// Counts go with their trials into a gathered database, from whichever has them, and not
// without them.
func TestGatherCounts(t *testing.T) {
	a, b := started(t), started(t)
	record(t, a, good("coo_atomic", 32), good("cpu_csr", 64))
	record(t, b, good("coo_atomic", 32, takes(7)), good("cpu_csr", 64), good("cpu_coo", 0))
	all := testkit.Must(b.Results(t.Context(), Filter{Status: trial.OK}))
	counts := map[string]Counts{}
	for i, c := range all {
		counts[c.ID] = Counts{"occupancy": float64(1+i) / 4}
	}
	testkit.Succeed(t, b.SaveCounts(t.Context(), counts))
	for _, order := range [][]*DB{{a, b}, {b, a}} {
		db := gather(t, Choice{}, order...)
		gives(t, db, "SELECT group_concat(kernel || ' ' || occupancy) FROM (SELECT * FROM profile ORDER BY kernel)", "coo_atomic 0.25,cpu_coo 0.75,cpu_csr 0.5", "profile")
	}
	db := gather(t, Choice{Kernels: []string{"cpu_*"}}, a, b)
	gives(t, db, "SELECT count(*) FROM counter", int64(2), "trials have counts")
}

// What is not told of a matrix takes nothing away.
func TestKnownFeaturesStay(t *testing.T) {
	db := create(t)
	m := testMatrix("grid")
	m.Features.RowSimilarity = math.NaN()
	describe(t, db, m)
	got := testkit.Must(db.Features(t.Context()))
	testkit.Check(t, got[0].Features.Equal(m.Features), "%+v", got)
	less := m
	m.Features.RowSimilarity, m.Features.Diagonals = 0.75, 5
	less.Features.Diagonals = 5
	for _, again := range []trial.Matrix{m, less} {
		describe(t, db, again)
		got := testkit.Must(db.Features(t.Context()))
		testkit.Check(t, got[0].Features.Equal(m.Features), "met again: %+v\nwant %+v", got[0].Features, m.Features)
	}
}

// How long reading the features took stays as it was first: otherwise running a sweep again, which
// measures nothing, would change the rule.
func TestFirstReadingTimeStays(t *testing.T) {
	db := create(t)
	m := testMatrix("grid")
	for _, seconds := range []float64{0, 0.25, 0.5} {
		m.FeaturesSeconds = seconds
		describe(t, db, m)
	}
	list := testkit.Must(db.Features(t.Context()))
	testkit.Check(t, len(list) == 1 && list[0].FeaturesSeconds == 0.25, "%+v; want 0.25 s", list)
}

func TestPatterns(t *testing.T) {
	db := started(t)
	m := testMatrix("grid")
	check := func(want string) {
		t.Helper()
		got := testkit.Must(db.Patterns(t.Context()))
		testkit.Check(t, len(got) == 1 && string(got[m.Hash]) == want, "patterns are %q, want %q", got, want)
	}
	check(string(m.Pattern))
	silent := m
	silent.Pattern = nil
	describe(t, db, silent)
	check(string(m.Pattern))
	m.Pattern = []byte("another")
	describe(t, db, m)
	check("another")
}
