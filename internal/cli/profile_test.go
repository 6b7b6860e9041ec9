package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spmvtune/internal/cli/command"
	"spmvtune/kernels"
	"spmvtune/store"
	"spmvtune/tuner/trial"
)

// fakeNCU puts a program in ncu's place, which notes how it was called.
func fakeNCU(t *testing.T, script string) (calls string) {
	t.Helper()
	dir := t.TempDir()
	calls = filepath.Join(dir, "calls")
	script = "#!/bin/sh\necho \"$@\" >> " + calls + "\n" + script
	if err := os.WriteFile(filepath.Join(dir, "ncu"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return calls
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
	for cache, option := range map[trial.Cache]string{
		trial.Cold: "--cache-control=all", trial.Warm: "--cache-control=none",
	} {
		calls := fakeNCU(t, ncuTable)
		list, err := countByNCU(t.Context(), "results.db", trialsOf(cache, "coo_atomic", "cusparse_csr_alg1"))
		if err != nil || len(list) != 2 || list[0].Counts["occupancy"] != 0.5 || list[1].of != "csrmv_v3_kernel" ||
			list[1].Counts["occupancy"] != 0.25 {
			t.Fatalf("%+v, %v", list, err)
		}
		said, _ := os.ReadFile(calls)
		if !strings.Contains(string(said), option) || !strings.Contains(string(said), " product results.db ") {
			t.Errorf("%s caches: ncu is called with %s", cache, said)
		}
		if _, err := countByNCU(t.Context(), "results.db", trialsOf(cache, "coo_atomic")); err == nil {
			t.Error("counters of two trials passed for those of one")
		}
	}
}

// Where only the administrator may count, the error says what to do. A metric that this ncu does not
// know is left out. The program's own complaint is what a user reads.
func TestNCUErrors(t *testing.T) {
	fakeNCU(t, `echo "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance `+
		`Counters"; exit 1`)
	_, err := countByNCU(t.Context(), "results.db", trialsOf(trial.Cold, "coo_atomic"))
	var hinted *command.Error
	if !errors.As(err, &hinted) || !strings.Contains(hinted.Hint, "NVreg_RestrictProfilingToAdminUsers=0") {
		t.Errorf("without permission: %v", err)
	}

	calls := fakeNCU(t, `case "$*" in
		*dram__bytes_read.sum*) echo "==ERROR== Failed to find metric dram__bytes_read.sum"; exit 1;; esac
`+ncuTable)
	if _, err := countByNCU(t.Context(), "results.db", trialsOf(trial.Cold, "coo_atomic", "coo_atomic")); err != nil {
		t.Errorf("with an unknown metric: %v", err)
	}
	if said, _ := os.ReadFile(calls); strings.Count(string(said), "\n") != 2 {
		t.Errorf("ncu was called as\n%s", said)
	}

	fakeNCU(t, `echo "error: the product is wrong: row 7 is off" >&2
		echo "==ERROR== The application returned an error code (1)."; exit 1`)
	if _, err := countByNCU(t.Context(), "results.db", trialsOf(trial.Cold, "coo_atomic")); err == nil ||
		!strings.Contains(err.Error(), "the product is wrong: row 7 is off") {
		t.Errorf("after a wrong product: %v", err)
	}
}

// Where trials can't be counted together, each is counted alone, and one that fails costs only itself.
func TestCountAlone(t *testing.T) {
	db, err := store.Open(filepath.Join(t.TempDir(), "results.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
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
	var out strings.Builder
	c := counting{db: db, w: &out, all: 2}
	if err := c.count(t.Context(), trials); err != nil || c.done != 2 || c.failed != 1 ||
		strings.Count(out.String(), "the product is wrong") != 1 {
		t.Errorf("%d counted, %d of them failed: %v\n%s", c.done, c.failed, err, &out)
	}
}
