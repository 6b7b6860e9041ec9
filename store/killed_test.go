package store

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"spmvtune/tuner/trial"
)

// childEnv makes the test binary record in a loop into the database it names.
const childEnv = "SPMVTUNE_STORE_CHILD"

func TestMain(m *testing.M) {
	if path := os.Getenv(childEnv); path != "" {
		fmt.Fprintln(os.Stderr, recordForever(path))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// recordForever records trial after trial and prints the identity of each when
// it is kept.
func recordForever(path string) error {
	ctx := context.Background()
	db, err := Open(path)
	if err != nil {
		return err
	}
	if err := db.Begin(ctx, testRun()); err != nil {
		return err
	}
	if err := db.Matrix(ctx, testMatrix("grid")); err != nil {
		return err
	}
	for i := 1; ; i++ {
		id := strconv.Itoa(os.Getpid()) + "-" + strconv.Itoa(i)
		if err := db.Record(ctx, good("cpu_csr_rows", i, identity(id))); err != nil {
			return err
		}
		fmt.Println(id)
	}
}

func TestKilledWhileRecording(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.db")
	var kept []string
	for _, trials := range []int{1, 50, 200, 7} {
		kept = append(kept, runAndKill(t, path, trials)...)
		checkKept(t, path, kept, OpenReadOnly)
	}
	checkKept(t, path, kept, Open)
}

// runAndKill kills a recording process once it has kept a number of trials, and
// returns those that it said were kept.
func runAndKill(t *testing.T, path string, trials int) (kept []string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childEnv+"="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		kept = append(kept, lines.Text())
		if len(kept) == trials {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	cmd.Wait() // says that it was killed
	if len(kept) < trials {
		t.Fatalf("the process ended after %d trials", len(kept))
	}
	return kept
}

func checkKept(t *testing.T, path string, kept []string, open func(string) (*DB, error)) {
	t.Helper()
	db, err := open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if got := one(t, db, "PRAGMA integrity_check"); got != "ok" {
		t.Errorf("integrity: %v", got)
	}
	got, err := db.Recorded(t.Context(), kept, trial.Brief)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range kept {
		if got[id].Status != trial.OK {
			t.Errorf("trial %s is lost", id)
		}
	}
	if n := one(t, db, "SELECT count(*) FROM trial t LEFT JOIN sample s ON s.trial = t.id WHERE s.trial IS NULL"); n != int64(0) {
		t.Errorf("%v trials without their samples", n)
	}
}
