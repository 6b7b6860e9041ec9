package store

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"spmvtune/kernels"
	"spmvtune/tuner/trial"
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
	if got := telemetry(t, db); got != want {
		t.Errorf("telemetry is\n%s\nwant\n%s", got, want)
	}
}

// What others did to the processor stays with a trial, also where databases are put together.
func TestHostIsKept(t *testing.T) {
	db := started(t)
	use := trial.HostUse{Cores: 4, Others: 1, Stolen: 0.5, Switches: 30, Own: 2, Load: 7.5}
	record(t, db, good("cpu_csr", 32, func(r *trial.Result) { r.Host = use }), good("cpu_csr", 64))
	gathered, err := Gather(t.Context(), filepath.Join(t.TempDir(), "all.db"), []string{db.Path()}, Choice{Kernels: []string{"cpu_csr"}})
	if err != nil {
		t.Fatal(err)
	}
	defer gathered.Close()
	for _, from := range []*DB{db, gathered} {
		const want = "[[0.25 0.125 15 7.5] [<nil> <nil> <nil> <nil>]]"
		got := fmt.Sprint(query(t, from, "SELECT others, stolen, switches, load FROM telemetry ORDER BY block").Rows)
		if got != want {
			t.Errorf("telemetry has %s, want %s", got, want)
		}
		rows, err := from.Results(t.Context(), Filter{})
		if err != nil || len(rows) != 2 || rows[0].Host != use || rows[1].Host != (trial.HostUse{}) {
			t.Errorf("read %+v, %v", rows, err)
		}
	}
}

// The names of the reasons in the view are those of the warnings.
func TestReasonsHaveTheirNames(t *testing.T) {
	db := started(t)
	all := kernels.ClockReasons(0x1ff) &^ kernels.GPUIdle
	record(t, db, good("cpu_csr", 32, func(r *trial.Result) {
		r.Telemetry = &trial.Telemetry{Reasons: all,
			HasReasons: true}
	}))
	if got := one(t, db, "SELECT clock_reasons FROM telemetry"); got != all.String() {
		t.Errorf("the view has %q, the program %q", got, all)
	}
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
	if got, want := fmt.Sprint(query(t, db, "SELECT node, uuid, job FROM telemetry ORDER BY block").Rows),
		"[[n1 GPU-1 12_3] [n1 GPU-1 12_3] [laptop <nil> <nil>] [<nil> <nil> <nil>]]"; got != want {
		t.Errorf("origins are %s, want %s", got, want)
	}
	if n := one(t, db, "SELECT count(*) FROM origin"); n != int64(2) {
		t.Errorf("%v origins are kept, want 2", n)
	}
}

// A failure that is measured again elsewhere has the new origin and its sensors.
func TestTelemetryIsReplaced(t *testing.T) {
	db := started(t)
	record(t, db, good("cpu_csr", 32, failing(trial.Fault, "crashed")))
	run := testRun()
	run.Origin.Node = "n2"
	begin(t, db, run)
	record(t, db, good("cpu_csr", 32, sensed, at(1)))
	if got := telemetry(t, db); !strings.HasPrefix(got, "[[32 n2 GPU-1 12_3 1755") {
		t.Errorf("telemetry is %s", got)
	}
}

// A database of the first schema is brought up to date when it is written, keeps what
// it has, and is read as it is until then.
func TestFirstSchemaOpens(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.db")
	raw(t, path, migrations[0], fmt.Sprintf("PRAGMA application_id = %d", applicationID), "PRAGMA user_version = 1",
		`INSERT INTO sweep VALUES (1, 'old', '', '', 'h', 'p', 'v', 1)`,
		`INSERT INTO device VALUES (1, 'GPU', 'cuda', 'GPU', '1', 1, 1, 1, 1, '{}', 1, 1, 1)`,
		`INSERT INTO matrix (id, name, class, hash, source, field, symmetry, rows, cols, nonzeros, row_min, row_p25, row_median, row_p75,
			row_p90, row_p99, row_max, empty_rows, cols_used, bandwidth)
			VALUES (1, 'grid', '', 'h', '', '', '', 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1)`,
		`INSERT INTO kernel VALUES (1, 'cpu_csr', '', 'csr', '1')`,
		`INSERT INTO trial (id, identity, sweep, device, matrix, kernel, precision, block, grid, params, cache, status, median, low, high,
			log_median, warnings, measured_at)
			VALUES (1, 'a', 1, 1, 1, 1, 'float32', 32, 2, '', 'cold', 'ok', 1e-3, 1e-3, 1e-3, -6.9, '["few"]', 1)`)
	old, err := OpenReadOnly(path)
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	if rows, err := old.Results(t.Context(), Filter{}); err != nil || len(rows) != 1 || rows[0].Median != 1e-3 {
		t.Errorf("read as it is: %+v, %v", rows, err)
	}
	if _, err := old.Query(t.Context(), "telemetry"); err == nil || !strings.Contains(err.Error(),
		"to update it") {
		t.Errorf("asked for what it has not: %v", err)
	}
	db, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if got, want := telemetry(t, db), `[[32 <nil> <nil> <nil> <nil> <nil> <nil> <nil> <nil> <nil> <nil> <nil> ["few"]]]`; got != want {
		t.Errorf("telemetry is %s, want %s", got, want)
	}
	begin(t, db, testRun())
	describe(t, db, testMatrix("other"))
	record(t, db, good("cpu_csr", 64, on("other"), sensed))
	if n := one(t, db, "SELECT count(*) FROM telemetry WHERE status = 'ok'"); n != int64(2) {
		t.Errorf("%v trials, want 2", n)
	}
}
