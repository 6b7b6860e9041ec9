package store

import (
	"fmt"
	"testing"
)

// A change of a kernel that is undone is not measured again, but counts again: here, and where databases
// are united, in any order. So do trials that another database had last.
func TestWhatARunWantsCounts(t *testing.T) {
	first, changed := good("cpu_csr", 32, identity("first")), good("cpu_csr", 32, identity("changed"), takes(0.5), later)
	brief := good("cpu_csr", 32, identity("brief"), briefly)
	a := started(t)
	record(t, a, first, changed, brief, good("cpu_sell", 8, takes(0.7)))
	everybodySays(t, a, "cpu_csr 32, cpu_sell 8", "cpu_csr 32", "cpu_csr 32,cpu_sell 8")
	if err := a.Ask(t.Context(), []string{"first", "brief", "unknown"}); err != nil {
		t.Fatal(err)
	}
	everybodySays(t, a, "cpu_csr 32, cpu_sell 8", "cpu_sell 8", "cpu_csr 32,cpu_sell 8")

	before, remeasured := started(t), started(t)
	record(t, before, first, changed)
	record(t, remeasured, good("cpu_csr", 32, identity("first"), at(3600)))
	for i, order := range [][]*DB{{a, before}, {before, a}, {before, remeasured}, {remeasured, before}} {
		db := gather(t, Choice{}, order...)
		rows, err := db.Results(t.Context(), Filter{Kernel: "cpu_csr"})
		if err != nil || len(rows) != 1 || rows[0].ID != "first" || !rows[0].At.Equal(first.At) {
			t.Errorf("order %d: %v, %v", i, rows, err)
		}
		asked := fmt.Sprint(one(t, db, "SELECT group_concat(identity) FROM trial WHERE asked IS NOT NULL"))
		if asked != "first" {
			t.Errorf("order %d: %s were wanted", i, asked)
		}
	}
}
