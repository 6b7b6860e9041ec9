package cli

import (
	"maps"
	"testing"

	"spmvtune/store"
)

// Reads and writes are summed; what is not known is left out.
func TestCallgrindCounts(t *testing.T) {
	got := callgrindCounts("# callgrind format\nevents: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw\nsummary: 9 9\n" +
		"fn=(1) main\n12 5 5\ntotals: 16036405 4010365 5257 87 501415 152 75 16 17\n")
	want := store.Counts{"instructions": 16036405, "data_refs": 4015622, "d1_misses": 501567, "ll_misses": 33}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// The lines are those of perf 6.1, with a processor that has not all of the counters.
func TestPerfCounts(t *testing.T) {
	got := perfCounts([]byte("Events disabled\nEvents enabled\n1234567;;instructions:u;85072161;100.00;0.5;insn per cycle\n" +
		"400;;L1-dcache-loads:u;85072161;100.00;;\n25;;L1-dcache-load-misses:u;85072161;100.00;6.25;of all L1-dcache accesses\n" +
		"<not supported>;;LLC-load-misses:u;0;100.00;;\n"))
	want := store.Counts{"instructions": 1234567, "data_refs": 400, "d1_misses": 25}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
