package custom

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"spmvtune/internal/testing/testkit"
)

// run runs a script of sh.
func run(t *testing.T, limit time.Duration, script string) (string, error) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	r := Program{Args: []string{"sh", "-c", script}, Dir: t.TempDir(), Limit: limit, Files: 1 << 20}
	printed, err := r.Run(t.Context())
	testkit.EqualLists(t, children(), nil, "%s: processes that are left", script)
	return string(printed), err
}

// Whatever a program does, it ends, with all that it has started, and the error says what was wrong.
func TestRun(t *testing.T) {
	testkit.Equal(t, testkit.Must(run(t, time.Minute, "echo noise >&2; echo time_ms=1")), "time_ms=1\n", "printed")
	for script, want := range map[string]string{
		"echo first >&2; echo 'no device' >&2; exit 3": "it failed (exit status 3): no device",
		"kill -SEGV $$":                          "it failed: signal: segmentation fault",
		"dd if=/dev/zero of=large bs=1M count=9": "it wrote more than 1048576 bytes",
		"for i in 1 2 3 4 5; do head -c 1000000 /dev/zero > $i; done; sleep 600": "it wrote more than 1048576 bytes",
		"yes": "it wrote more than 1048576 bytes",
	} {
		testkit.Fails(t, testkit.Err(run(t, time.Minute, script)), want, "%s", script)
	}
}

// A program that does not end is killed, and so is what it started, in whatever process group.
func TestRunLeavesNothing(t *testing.T) {
	for _, script := range []string{
		"sleep 600 & echo $! > PIDS; sleep 600",
		"setsid sleep 600 & echo $! > PIDS; sleep 600",
	} {
		pids := filepath.Join(t.TempDir(), "pids")
		testkit.Is(t, testkit.Err(run(t, 300*time.Millisecond, strings.ReplaceAll(script, "PIDS", pids))), ErrLate, script)
		text, err := os.ReadFile(pids)
		if err != nil {
			t.Skip("the machine is too busy")
		}
		pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
		testkit.Check(t, pid != 0 && syscall.Kill(pid, 0) != nil, "%s: process %d lives", script, pid)
	}
	// It need not wait for what it leaves behind, which does not hold up others.
	testkit.Must(run(t, time.Minute, "(setsid sleep 600 &) ; echo time_ms=1"))
}
