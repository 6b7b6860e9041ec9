// SPDX-License-Identifier: Apache-2.0

// Package slurmlab gives tests a Slurm of their own: a controller and three nodes on
// this machine, started by the scripts in testdata, which say what it needs
// and what its nodes and partitions are. Everything of a lab lies in one folder, and
// several labs don't see each other.
//
// The methods of a Lab fail the test when a step fails, so they are for the test's
// own goroutine; Command is for others.
package slurmlab

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.org/spmvtune/internal/testing/testkit"
)

// Options say how a lab differs from the plain one.
type Options struct {
	MaxArray   int  // Slurm's MaxArraySize, one above the largest index; 0 is 101
	Accounting bool // whether there is a slurmdbd, so that sacct answers
	// Config has more lines of slurm.conf.
	Config []string
}

// A Lab is a running Slurm.
type Lab struct {
	Dir string // its folder; tests may put files of theirs into it

	t       testing.TB
	scripts string
}

// Start starts a lab, which takes a second, or four with accounting. It is one of the
// long tests: the test is skipped unless those were asked for, and where Slurm is not
// installed. The lab ends with the test, or at the latest with the process.
func Start(t testing.TB, options Options) *Lab {
	t.Helper()
	needSlurm(t)
	l := &Lab{t: t, scripts: scripts(t)}
	args := []string{"--owner", strconv.Itoa(os.Getpid())}
	if options.MaxArray != 0 {
		args = append(args, "--max-array", strconv.Itoa(options.MaxArray))
	}
	if options.Accounting {
		need(t, "slurmdbd mariadb-server", "slurmdbd", "mariadbd")
		args = append(args, "--accounting")
	}
	for _, line := range options.Config {
		args = append(args, "--config", line)
	}
	l.Dir = filepath.Dir(l.script("up.sh", args...))
	t.Cleanup(l.stop)
	return l
}

// needSlurm skips the test unless it may take long, and a Slurm can be started.
func needSlurm(t testing.TB) {
	t.Helper()
	testkit.Long(t, "starts a Slurm of its own")
	need(t, "slurm-wlm munge", "slurmctld", "slurmd", "munged", "sbatch")
}

// need skips the test unless all programs are there.
func need(t testing.TB, packages string, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err == nil {
			continue
		}
		if _, err := exec.LookPath("/usr/sbin/" + program); err != nil {
			t.Skipf("%s is not installed (Debian: apt-get install %s)", program, packages)
		}
	}
}

// scripts is the folder of the scripts, seen from any package of the module.
func scripts(t testing.TB) string {
	t.Helper()
	dir := testkit.Must(os.Getwd())
	for ; ; dir = filepath.Dir(dir) {
		lab := filepath.Join(dir, "internal", "testing", "slurmlab", "testdata")
		if _, err := os.Stat(filepath.Join(lab, "up.sh")); err == nil {
			return lab
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("internal/testing/slurmlab/testdata is in none of the folders above")
		}
	}
}

// stop ends the lab. A failed test shows what the controller said last.
func (l *Lab) stop() {
	if l.t.Failed() {
		log, err := os.ReadFile(filepath.Join(l.Dir, "log", "slurmctld.log"))
		lines := strings.Split(string(log), "\n")
		l.t.Logf("slurmctld.log: %v\n%s", err, strings.Join(lines[max(0, len(lines)-30):], "\n"))
	}
	l.script("down.sh", l.Dir)
}

// script runs one of the lab's scripts and returns its output.
func (l *Lab) script(name string, args ...string) string {
	l.t.Helper()
	return l.output(exec.Command(filepath.Join(l.scripts, name), args...))
}

// Env is the environment of commands that are to see the lab: the test's own without
// any of Slurm's variables, and the lab's configuration.
func (l *Lab) Env() []string {
	var env []string
	for _, entry := range os.Environ() {
		if !slurms(entry) {
			env = append(env, entry)
		}
	}
	return append(env, "SLURM_CONF="+filepath.Join(l.Dir, "etc", "slurm.conf"))
}

// slurms reports whether a variable is one that Slurm's commands read or set.
func slurms(entry string) bool {
	for _, prefix := range []string{"SLURM", "SBATCH_", "SQUEUE_", "SACCT_", "SINFO_", "SCANCEL_", "SCONTROL_",
		"SALLOC_", "SRUN_"} {
		if strings.HasPrefix(entry, prefix) {
			return true
		}
	}
	return false
}

// Command prepares a command of the lab. It runs in the lab's folder unless told.
func (l *Lab) Command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = l.Dir
	cmd.Env = l.Env()
	return cmd
}

// Run runs a command of the lab and returns what it printed, without the last
// newline. The test fails when the command does.
func (l *Lab) Run(name string, args ...string) string {
	l.t.Helper()
	return l.output(l.Command(name, args...))
}

func (l *Lab) output(cmd *exec.Cmd) string {
	l.t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		l.t.Fatalf("%s: %v\n%s%s", strings.Join(cmd.Args, " "), err, out, stderr.Bytes())
	}
	return strings.TrimRight(string(out), "\n")
}

// Fake puts shell scripts in the place of Slurm's programs, and returns their folder, which they
// know as $FAKE. Each notes its calls in $FAKE/calls, except for a test of sbatch's, which succeeds.
func Fake(t *testing.T, commands map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, body := range commands {
		test := ""
		if name == "sbatch" {
			test = "case \"$*\" in --test-only*) exit 0 ;; esac\n"
		}
		text := "#!/bin/bash\n" + test + "echo \"" + name + " $*\" >> \"$FAKE/calls\"\n" + body + "\n"
		testkit.Succeed(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o777))
	}
	t.Setenv("FAKE", dir)
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return dir
}

// Calls counts the calls of a fake program.
func Calls(t *testing.T, dir, name string) int {
	t.Helper()
	data := testkit.Must(os.ReadFile(filepath.Join(dir, "calls")))
	return strings.Count("\n"+string(data), "\n"+name+" ")
}

// FakeConfig is the scontrol of a cluster with arrays of two tasks.
const FakeConfig = `case "$*" in
*config*) echo "MaxArraySize = 2" ;;
*partition*) echo "PartitionName=debug Default=YES DefaultTime=NONE MaxTime=01:00:00" ;;
esac`

// FakeSbatch takes in a job with the next id, and FakeSqueue knows it then.
const FakeSbatch = `for a; do case $a in --job-name=*) name=${a#--job-name=} ;; esac; done
echo "$name" >> "$FAKE/queue"; id=$((100 + $(wc -l < "$FAKE/queue")))`

const FakeSqueue = `touch "$FAKE/queue"; id=100
while read -r name; do id=$((id+1)); case " $* " in *" $name "* | *[\ ,]$id[\ ,]*) echo "$id|0|PENDING|0:00|5:00|N/A||$name|None" ;; esac; done < "$FAKE/queue"`

// FakeQueue is a Slurm whose squeue prints the file queue, and whose sacct prints the file accounts.
// Without its file a program fails. sbatch keeps its arguments in the file sent.
var FakeQueue = map[string]string{
	"squeue":   `[ -e "$FAKE/queue" ] || { echo "slurm_load_jobs error: Unable to contact slurm controller (connect failure)" >&2; exit 1; }; cat "$FAKE/queue"`,
	"sacct":    `[ -e "$FAKE/accounts" ] || { echo "Slurm accounting storage is disabled" >&2; exit 1; }; cat "$FAKE/accounts"`,
	"scontrol": FakeConfig,
	"sbatch":   `echo "sbatch $*" >> "$FAKE/sent"; echo $((200 + $(wc -l < "$FAKE/sent")))`,
}

// Read returns the text of a file.
func Read(tb testing.TB, path string) string {
	tb.Helper()
	return string(testkit.Must(os.ReadFile(path)))
}

// Wait waits for an event, as long as the test binary may run: how long one takes on a busy
// machine nobody knows. look reports whether it has happened and, if not, what is there
// instead. It runs on the test's own goroutine and may fail the test.
func Wait(t testing.TB, look func() (instead string, done bool)) {
	t.Helper()
	const rest = 15 * time.Second // for what the test does at its end
	var end time.Time
	if limited, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		end, _ = limited.Deadline()
	}
	for ; ; time.Sleep(50 * time.Millisecond) {
		instead, done := look()
		if done {
			return
		}
		if !end.IsZero() && time.Until(end) < rest {
			t.Fatalf("waiting for an event that does not come: %s", instead)
		}
	}
}
