package store

import (
	"testing"

	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

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
	trials, err := db.Chosen(t.Context(), "block = 32 -- whatever is said")
	if err != nil || len(trials) != 1 || trials[0].ID != "a" || trials[0].Params != "tile=8" {
		t.Fatalf("chosen: %+v, %v", trials, err)
	}
	if _, err := db.Chosen(t.Context(), "1); DELETE FROM trial; SELECT (1"); err == nil {
		t.Error("a condition holds a second statement")
	}
	if one, err := db.Results(t.Context(), Filter{ID: "slow"}); err != nil || len(one) != 1 || one[0].Block != 64 {
		t.Errorf("the trial slow: %+v, %v", one, err)
	}
	for _, counts := range []map[string]Counts{
		{"a": {"occupancy": 0.1, "warp_efficiency": 0.25}, "nobody": {}},
		{"a": {"occupancy": 0.5, "sectors": 3}}, // again
	} {
		if err := db.SaveCounts(t.Context(), counts); err != nil {
			t.Fatal(err)
		}
	}
	rows := query(t, db, "SELECT kernel, block, params, occupancy, warp_efficiency, load_efficiency FROM profile").Rows
	if len(rows) != 1 || rows[0][0] != "coo_atomic" || rows[0][2] != "tile=8" || rows[0][3] != 0.5 || rows[0][4] != 0.25 || rows[0][5] != nil {
		t.Errorf("profile: %v", rows)
	}
	launches, err := db.Launches(t.Context())
	if err != nil || len(launches) != 2 {
		t.Fatalf("launches %+v, %v", launches, err)
	}
	facts := launches[0].Properties
	if _, known := facts["load_efficiency"]; known || facts["registers"] != 16 || facts["sectors"] != 3 || facts["achieved_occupancy"] != 0.5 || facts["warp_efficiency"] != 0.25 {
		t.Errorf("facts %v", facts)
	}
}

// Counts go with their trials into a gathered database, from whichever has them, and not
// without them.
func TestGatherCounts(t *testing.T) {
	a, b := started(t), started(t)
	record(t, a, good("coo_atomic", 32), good("cpu_csr", 64))
	record(t, b, good("coo_atomic", 32, takes(7)), good("cpu_csr", 64), good("cpu_coo", 0))
	all, err := b.Results(t.Context(), Filter{Status: trial.OK})
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]Counts{}
	for i, c := range all {
		counts[c.ID] = Counts{"occupancy": float64(1+i) / 4}
	}
	if err := b.SaveCounts(t.Context(), counts); err != nil {
		t.Fatal(err)
	}
	for _, order := range [][]*DB{{a, b}, {b, a}} {
		db := gather(t, Choice{}, order...)
		if got := one(t, db, "SELECT group_concat(kernel || ' ' || occupancy) FROM (SELECT * FROM profile ORDER BY kernel)"); got != "coo_atomic 0.25,cpu_coo 0.75,cpu_csr 0.5" {
			t.Errorf("profile: %v", got)
		}
	}
	db := gather(t, Choice{Kernels: []string{"cpu_*"}}, a, b)
	if n := one(t, db, "SELECT count(*) FROM counter"); n != int64(2) {
		t.Errorf("%v trials have counts, want 2", n)
	}
}
