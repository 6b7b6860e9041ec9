// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/trial"
)

// fakeNCU puts a program in ncu's place, which notes how it was called.
func fakeNCU(t *testing.T, script string) (calls string) {
	t.Helper()
	dir := t.TempDir()
	calls = filepath.Join(dir, "calls")
	script = "#!/bin/sh\necho \"$@\" >> " + calls + "\n" + script
	testkit.Succeed(t, os.WriteFile(filepath.Join(dir, "ncu"), []byte(script), 0o777))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return calls
}

// profiler is one of an empty database, with what it says.
func profiler(t *testing.T) (*Profiler, *strings.Builder) {
	t.Helper()
	db := testkit.Must(store.Open(filepath.Join(t.TempDir(), "results.db")))
	t.Cleanup(func() { db.Close() })
	var out strings.Builder
	program := func(string) (string, error) { return "spmvtune", nil }
	return &Profiler{DB: db, W: &out, Program: program}, &out
}

const ncuTable = `cat <<END
==PROF== Connected to process 7
"ID","Kernel Name","Block Size","Grid Size","sm__warps_active.avg.pct_of_peak_sustained_active","gpu__time_duration.sum"
"","","","","%","ns"
"0","gate","(1, 1, 1)","(1, 1, 1)","1","900"
"1","coo_atomic_f32","(64, 1, 1)","(10, 1, 1)","50","3,000"
"2","gate","(1, 1, 1)","(1, 1, 1)","1","900"
"3","csrmv_v3_kernel","(64, 1, 1)","(10, 1, 1)","25","2,000"
"4","fixup","(64, 1, 1)","(1, 1, 1)","75","1,000"
END
`

func trialsOf(cache trial.Cache, names ...string) []store.Row {
	list := make([]store.Row, len(names))
	for i, name := range names {
		list[i].Config = kernels.Config{Kernel: name, Precision: kernels.Float32, Block: 64, Grid: 10}
		list[i].Cache, list[i].Rows, list[i].NNZ = cache, 100, 300
	}
	return list
}

// The launches after each mark are those of a trial. Caches are as in the trials.
func TestCountByNCU(t *testing.T) {
	p, _ := profiler(t)
	for cache, option := range map[trial.Cache]string{
		trial.Cold: "--cache-control=all", trial.Warm: "--cache-control=none",
	} {
		calls := fakeNCU(t, ncuTable)
		list, err := p.countByNCU(t.Context(), trialsOf(cache, "coo_atomic", "cusparse_csr_alg1"))
		if err != nil || len(list) != 2 || list[0].Counts["occupancy"] != 0.5 || list[1].of != "csrmv_v3_kernel" ||
			list[1].Counts["occupancy"] != 0.25 {
			t.Fatalf("%+v, %v", list, err)
		}
		said, _ := os.ReadFile(calls)
		testkit.Says(t, "ncu is called with", string(said), option, " product "+p.DB.Path()+" ")
		testkit.Fails(t, testkit.Err(p.countByNCU(t.Context(), trialsOf(cache, "coo_atomic"))), "", "counters of two trials")
	}
}

// Where only the administrator may count, the error says what to do. A metric that this ncu does not
// know is left out. The program's own complaint is what a user reads.
func TestNCUErrors(t *testing.T) {
	p, _ := profiler(t)
	fakeNCU(t, `echo "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance `+
		`Counters"; exit 1`)
	_, err := p.countByNCU(t.Context(), trialsOf(trial.Cold, "coo_atomic"))
	var hinted *term.Hinted
	if !errors.As(err, &hinted) || !strings.Contains(hinted.Hint, "NVreg_RestrictProfilingToAdminUsers=0") {
		t.Errorf("without permission: %v", err)
	}

	calls := fakeNCU(t, `case "$*" in
		*dram__bytes_read.sum*) echo "==ERROR== Failed to find metric dram__bytes_read.sum"; exit 1;; esac
`+ncuTable)
	testkit.Must(p.countByNCU(t.Context(), trialsOf(trial.Cold, "coo_atomic", "coo_atomic"))) // with an unknown metric
	testkit.Equal(t, strings.Count(string(testkit.Must(os.ReadFile(calls))), "\n"), 2, "calls of ncu")

	fakeNCU(t, `echo "error: the product is wrong: row 7 is off" >&2
		echo "==ERROR== The application returned an error code (1)."; exit 1`)
	_, err = p.countByNCU(t.Context(), trialsOf(trial.Cold, "coo_atomic"))
	testkit.Fails(t, err, "the product is wrong: row 7 is off", "after a wrong product")
}

// Where trials can't be counted together, each is counted alone, and one that fails costs only itself.
func TestCountAlone(t *testing.T) {
	p, out := profiler(t)
	fakeNCU(t, `case "$*" in *" a b "*|*" b "*) echo "error: the product is wrong" >&2; exit 1;; esac
cat <<END
"ID","Kernel Name","gpu__time_duration.sum"
"","","ns"
"0","gate","900"
"1","coo_atomic_f32","3,000"
END
`)
	trials := trialsOf(trial.Cold, "coo_atomic", "coo_atomic")
	trials[0].ID, trials[1].ID = "a", "b"
	c := counting{Profiler: p, all: 2}
	if err := c.count(t.Context(), trials); err != nil || c.done != 2 || c.failed != 1 ||
		strings.Count(out.String(), "the product is wrong") != 1 {
		t.Errorf("%d counted, %d of them failed: %v\n%s", c.done, c.failed, err, out)
	}
}

// Reads and writes are summed; what is not known is left out.
func TestCallgrindCounts(t *testing.T) {
	got := callgrindCounts("# callgrind format\nevents: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw\nsummary: 9 9\n" +
		"fn=(1) main\n12 5 5\ntotals: 16036405 4010365 5257 87 501415 152 75 16 17\n")
	want := store.Counts{"instructions": 16036405, "data_refs": 4015622, "d1_misses": 501567, "ll_misses": 33}
	testkit.Check(t, maps.Equal(got, want), "%v, want %v", got, want)
}

// The lines are those of perf 6.1, with a processor that has not all of the counters.
func TestPerfCounts(t *testing.T) {
	got := perfCounts([]byte("Events disabled\nEvents enabled\n1234567;;instructions:u;85072161;100.00;0.5;insn per cycle\n" +
		"400;;L1-dcache-loads:u;85072161;100.00;;\n25;;L1-dcache-load-misses:u;85072161;100.00;6.25;of all L1-dcache accesses\n" +
		"<not supported>;;LLC-load-misses:u;0;100.00;;\n"))
	want := store.Counts{"instructions": 1234567, "data_refs": 400, "d1_misses": 25}
	testkit.Check(t, maps.Equal(got, want), "%v, want %v", got, want)
}
