package journal

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"testing"

	"spmvtune/tuner/trial"

	"golang.org/x/sys/unix"
)

// folderEnv makes the test binary record in a loop into a journal in the folder
// that it names, limitEnv bounds the file's size.
const (
	folderEnv = "SPMVTUNE_JOURNAL_CHILD"
	limitEnv  = "SPMVTUNE_JOURNAL_LIMIT"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(folderEnv); dir != "" {
		fmt.Fprintln(os.Stderr, recordForever(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// recordForever prints the identity of each trial when it is kept.
func recordForever(dir string) error {
	ctx := context.Background()
	w, err := Create(ctx, dir, "0001", "1_1", 0, Options{})
	if err != nil {
		return err
	}
	if err := w.Matrix(ctx, testMatrix("grid")); err != nil {
		return err
	}
	if err := w.Begin(ctx, testRun()); err != nil {
		return err
	}
	if limit, err := strconv.ParseUint(os.Getenv(limitEnv), 10, 64); err == nil {
		signal.Ignore(unix.SIGXFSZ) // then writing fails instead
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
			return err
		}
	}
	for i := os.Getpid() * 1_000_000; ; i++ {
		r := testTrial(i)
		if err := w.Record(ctx, r); err != nil {
			if again := w.Record(ctx, r); again == nil {
				return fmt.Errorf("recorded after %w", err)
			}
			return err
		}
		fmt.Println(r.ID)
	}
}

// child starts a process that records into dir. kill is called with the number
// of trials that are kept and kills it by returning true; those are returned,
// with what the process said at its end.
func child(t *testing.T, dir string, kill func(n int) bool, env ...string) (kept []string, said string) {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(append(os.Environ(), folderEnv+"="+dir), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		kept = append(kept, lines.Text())
		if kill(len(kept)) {
			must(t, cmd.Process.Kill())
		}
	}
	cmd.Wait() // says that it was killed, or has failed
	return kept, stderr.String()
}

// What was recorded is there after kill -9, and the next attempt knows it.
func TestKilledWhileRecording(t *testing.T) {
	dir := t.TempDir()
	var kept []string
	for _, trials := range []int{1, 30, 100, 7} {
		more, said := child(t, dir, func(n int) bool { return n == trials })
		if len(more) < trials {
			t.Fatalf("the process ended after %d trials: %s", len(more), said)
		}
		kept = append(kept, more...)
	}
	w := start(t, dir, "1_2")
	recorded, err := w.Recorded(t.Context(), kept, trial.Brief)
	must(t, err)
	if len(recorded) != len(kept) {
		t.Errorf("%d of %d trials are left", len(recorded), len(kept))
	}
	names, err := List(dir)
	must(t, err)
	if len(names) != 5 {
		t.Errorf("five attempts have %d journals", len(names))
	}
}

// A full disk is an error, after which the journal ends with its last whole line.
func TestFullDisk(t *testing.T) {
	for limit := 4000; limit < 4800; limit += 97 { // anywhere in a line
		dir := t.TempDir()
		kept, said := child(t, dir, func(int) bool { return false }, limitEnv+"="+strconv.Itoa(limit))
		if !strings.Contains(said, "file too large") || strings.Contains(said, "recorded after") {
			t.Fatalf("the process said %q", said)
		}
		names, err := List(dir)
		must(t, err)
		trials, problems, _ := content(t, dir+"/"+names[0].String())
		if len(kept) == 0 || !slices.Equal(trials, kept) || problems != nil {
			t.Errorf("below %d bytes: %d of %d trials are left, %v", limit, len(trials), len(kept), problems)
		}
	}
}
