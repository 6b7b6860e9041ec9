// SPDX-License-Identifier: Apache-2.0

package custom

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.org/spmvtune/internal/testing/testkit"
)

// run runs a script of sh.
func run(t *testing.T, limit time.Duration, script string) (string, error) {
	t.Helper()
	p := Program{Args: []string{"sh", "-c", script}, Dir: t.TempDir(), Limit: limit, Files: 1 << 20, Memory: 256 << 20, Alone: true}
	err := p.Run(t.Context())
	testkit.EqualLists(t, children(), nil, "%s: processes that are left", script)
	printed, _ := p.Printed()
	return string(printed), err
}

// Whatever a program does, it ends, with all that it has started, and the error says what was wrong.
func TestRun(t *testing.T) {
	testkit.Equal(t, testkit.Must(run(t, time.Minute, "echo noise >&2; echo time_ms=1")), "time_ms=1\n", "printed")
	all := "import os\nos.fork() or os._exit(0)\ntry:\n while 1: os.wait()\nexcept ChildProcessError: print('time_ms=1')"
	testkit.Equal(t, testkit.Must(run(t, time.Minute, `exec python3 -c "`+all+`"`)), "time_ms=1\n", "printed by who waits for all children")
	for script, want := range map[string]string{
		"dd if=/dev/zero of=large bs=999M count=1":     "memory exhausted",
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

// With this process end the program and what it has started, however it ends.
func TestDiesWithParent(t *testing.T) {
	if dir := os.Getenv("CUSTOM_DIR"); dir != "" { // the parent
		p := Program{Args: []string{"sh", "-c", "sleep 600 & echo $! > pid; mv pid pids; wait"}, Dir: dir, Limit: time.Hour,
			Files: 1 << 20}
		t.Fatal(p.Run(t.Context()))
	}
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, os.Kill} {
		dir := t.TempDir()
		parent := exec.Command(testkit.Must(os.Executable()), "-test.run=TestDiesWithParent")
		parent.Env = append(os.Environ(), "CUSTOM_DIR="+dir)
		testkit.Succeed(t, parent.Start())
		var text []byte
		for len(text) == 0 {
			time.Sleep(time.Millisecond)
			text, _ = os.ReadFile(filepath.Join(dir, "pids"))
		}
		parent.Process.Signal(sig)
		parent.Wait()
		pid := testkit.Must(strconv.Atoi(strings.TrimSpace(string(text))))
		for alive := true; alive; { // for ever, if it does not end
			stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
			alive = err == nil && !strings.Contains(string(stat), ") Z ")
		}
	}
}

// What is printed is kept from both ends.
func TestSaid(t *testing.T) {
	p := Program{Args: []string{"sh", "-c", "echo first; seq 20000; echo last; seq 99999 >&2"}, Dir: t.TempDir(),
		Limit: time.Minute, Files: 1 << 20}
	testkit.Succeed(t, p.Run(t.Context()))
	said := p.Said()
	testkit.Says(t, "what is printed", said, "first\n", "\nlast\n", "\n99999\n")
	testkit.Check(t, len(said) < 65<<10, "%d bytes are kept", len(said))
}
