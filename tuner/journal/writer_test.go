// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/tuner/trial"
)

func TestNames(t *testing.T) {
	for _, tt := range []struct {
		file string
		name Name
	}{
		{"0007.123_4.0.jsonl", Name{Chunk: "0007", Job: "123_4"}},
		{"0007.1.123_4.2.jsonl", Name{Chunk: "0007.1", Job: "123_4", Attempt: 2}},
		{"0007.1.2.123_4.0.jsonl", Name{Chunk: "0007.1.2", Job: "123_4"}},
		{"0007.1_1.10.r12.jsonl", Name{Chunk: "0007", Job: "1_1", Attempt: 10, Again: 12}},
		{"0007.1_1.1.r1.jsonl", Name{Chunk: "0007", Job: "1_1", Attempt: 1, Again: 1}},
	} {
		testkit.Equal(t, tt.name.String(), tt.file, "%+v is called", tt.name)
		got, ok := ParseName(tt.file)
		testkit.Check(t, ok && got == tt.name, "%s is %+v, %t; want %+v", tt.file, got, ok, tt.name)
		testkit.Equal(t, tt.name.Family(), "0007", "%s is of the family", tt.file)
	}
	for _, file := range []string{"", "a.jsonl", "0007.1_1.jsonl", "0007.1_1.x.jsonl", "0007.1_1.01.jsonl",
		"0007.1_1.0.jsonl~",
		".0007.1_1.0.jsonl", "0007.1_1.0.g0.jsonl", "0007.1_1.99999999999999999999.jsonl", "a/b.1_1.0.jsonl"} {
		if name, ok := ParseName(file); ok {
			t.Errorf("%q is %+v, want no journal", file, name)
		}
	}
}

func TestCreateRefuses(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		dir, chunk, job string
	}{
		{dir, "", "1_1"}, {dir, "../x", "1_1"}, {dir, "0001", ""}, {dir, "0001", "1.1"}, {dir, "0001.", "1_1"},
		{dir, "..", "1_1"},
		{filepath.Join(dir, "missing"), "0001", "1_1"},
	} {
		testkit.Fails(t, testkit.Err(Create(t.Context(), tt.dir, tt.chunk, tt.job, 0, nil)), "", "started")
	}
}

// Nobody shares a journal, however many start one at once.
func TestCreateIsExclusive(t *testing.T) {
	dir := t.TempDir()
	var mu sync.Mutex
	paths := map[string]bool{}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			w, err := Create(t.Context(), dir, "0001", "1_1", 0, nil)
			if err != nil {
				t.Error(err)
				return
			}
			defer w.Close()
			mu.Lock()
			defer mu.Unlock()
			paths[w.Path()] = true
		})
	}
	all.Wait()
	names := testkit.Must(List(dir))
	testkit.Check(t, len(paths) == 20 && len(names) == 20,
		"20 writers have %d journals, %d are listed", len(paths), len(names))
}

// Finished knows all journals of the family, what it wrote itself, and nothing
// of other chunks.
func TestRecorded(t *testing.T) {
	dir := t.TempDir()
	record := func(chunk string, results ...trial.Result) *Writer {
		t.Helper()
		w := testkit.Must(Create(t.Context(), dir, chunk, "1_1", 0, nil))
		t.Cleanup(func() { w.Close() })
		testkit.Succeed(t, w.Matrix(t.Context(), testMatrix("grid")))
		testkit.Succeed(t, w.Begin(t.Context(), testRun()))
		for _, r := range results {
			testkit.Succeed(t, w.Record(t.Context(), r))
		}
		return w
	}
	failed := func(i int) trial.Result {
		return trial.Result{Trial: testTrial(i).Trial, Status: trial.Timeout}
	}
	torn := record("0007", testTrial(1), failed(2), failed(3), testTrial(9))
	data := testkit.Must(os.ReadFile(torn.Path()))
	testkit.Succeed(t, os.Truncate(torn.Path(), int64(len(data)-1)))
	record("0007", failed(1), testTrial(2))
	record("0008", testTrial(4))
	record("00071", testTrial(4))
	w := record("0007.2", testTrial(5), failed(6))
	var ids []string
	for i := range 10 {
		ids = append(ids, testTrial(i).ID)
	}
	recorded := testkit.Must(w.Recorded(t.Context(), ids, trial.Brief))
	got := map[string]trial.Status{}
	for id, r := range recorded {
		got[id] = r.Status
	}
	testkit.Equal(t, fmt.Sprint(got), "map[trial-1:ok trial-2:ok trial-3:timeout trial-5:ok trial-6:timeout]", "recorded are")
	testkit.Equal(t, len(testkit.Must(w.Recorded(t.Context(), ids[:1], trial.Full))), 0, "asked for one that is not finished")
}

// A journal that can't be read does not keep others from being written: what it
// holds is measured again.
func TestCreateBesideUnreadable(t *testing.T) {
	dir := t.TempDir()
	testkit.Succeed(t, os.Mkdir(filepath.Join(dir, "0007.1_0.0.jsonl"), 0o777))
	testkit.Succeed(t, unix.Mkfifo(filepath.Join(dir, "0007.1_0.1.jsonl"), 0o666)) // which nobody writes
	w := testkit.Must(Create(t.Context(), dir, "0007", "1_1", 0, nil))
	testkit.Succeed(t, w.Close())
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	testkit.Fails(t, testkit.Err(Create(ended, dir, "0007", "1_2", 0, nil)), "", "started")
	testkit.Equal(t, len(testkit.Must(List(dir))), 3, "journals are")
}

// Refresh changes the folder, leaves nothing there, and can't fail.
func TestRefresh(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().Add(-time.Hour)
	testkit.Succeed(t, os.Chtimes(dir, old, old))
	Refresh(dir)
	info := testkit.Must(os.Stat(dir))
	if left, _ := os.ReadDir(dir); len(left) > 0 || !info.ModTime().After(old) {
		t.Errorf("left are %v, changed at %v", left, info.ModTime())
	}
	Refresh(filepath.Join(dir, "missing"))
	testkit.Succeed(t, os.WriteFile(filepath.Join(dir, ".refresh-123"), nil, 0o666)) // of one that was killed
	names := testkit.Must(List(dir))
	testkit.Check(t, len(names) == 0, "journals are %v", names)
}

func TestRecordNeedsItsRun(t *testing.T) {
	w := testkit.Must(Create(t.Context(), t.TempDir(), "0001", "1_1", 0, nil))
	defer w.Close()
	testkit.Fails(t, w.Record(t.Context(), testTrial(1)), "", "recorded without a run")
}

// What can't be written costs one record, not the journal.
func TestTooLong(t *testing.T) {
	w := start(t, t.TempDir(), "1_1")
	r := testTrial(0)
	r.Message = strings.Repeat("x", maxLine)
	testkit.Fails(t, w.Record(t.Context(), r), "", "recorded a line that no reader takes")
	write(t, w, 1, 2)
	trials, problems, _ := content(t, w.Path())
	testkit.Check(t, slices.Equal(trials, []string{"trial-1"}) && problems == nil, "%v, %v", trials, problems)
}

func TestClosed(t *testing.T) {
	w := start(t, t.TempDir(), "1_1")
	testkit.Succeed(t, w.Close())
	before := testkit.Must(os.ReadFile(w.Path()))
	testkit.Fails(t, w.Record(t.Context(), testTrial(1)), "", "recorded after Close")
	testkit.Check(t, bytes.Equal(testkit.Must(os.ReadFile(w.Path())), before), "the journal has changed after Close")
}

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
	w, err := Create(ctx, dir, "0001", "1_1", 0, nil)
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
	self := testkit.Must(os.Executable())
	cmd := exec.Command(self)
	cmd.Env = append(append(os.Environ(), folderEnv+"="+dir), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out := testkit.Must(cmd.StdoutPipe())
	testkit.Succeed(t, cmd.Start())
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		kept = append(kept, lines.Text())
		if kill(len(kept)) {
			testkit.Succeed(t, cmd.Process.Kill())
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
		testkit.Require(t, len(more) >= trials, "the process ended after %d trials: %s", len(more), said)
		kept = append(kept, more...)
	}
	w := start(t, dir, "1_2")
	recorded := testkit.Must(w.Recorded(t.Context(), kept, trial.Brief))
	testkit.Equal(t, len(recorded), len(kept), "of")
	names := testkit.Must(List(dir))
	testkit.Equal(t, len(names), 5, "five attempts have")
}

// A full disk is an error, after which the journal ends with its last whole line.
func TestFullDisk(t *testing.T) {
	for limit := 4000; limit < 4800; limit += 97 { // anywhere in a line
		dir := t.TempDir()
		kept, said := child(t, dir, func(int) bool { return false }, limitEnv+"="+strconv.Itoa(limit))
		testkit.Require(t, strings.Contains(said, "file too large") && !strings.Contains(said, "recorded after"),
			"the process said %q", said)
		names := testkit.Must(List(dir))
		trials, problems, _ := content(t, dir+"/"+names[0].String())
		testkit.Check(t, len(kept) != 0 && slices.Equal(trials, kept) && problems == nil,
			"below %d bytes: %d of %d trials are left, %v", limit, len(trials), len(kept), problems)
	}
}
