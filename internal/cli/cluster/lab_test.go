// SPDX-License-Identifier: Apache-2.0

package cluster_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"example.org/spmvtune/internal/cli"
	"example.org/spmvtune/internal/testing/clitest"
	"example.org/spmvtune/internal/testing/slurmlab"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/slurm/status"
	"example.org/spmvtune/sparse/cache"
)

// A terminal is where a user gives commands, and looks at runs.
type terminal struct {
	t       *testing.T
	command func(args ...string) *exec.Cmd
}

// here gives commands in this folder, without a lab.
func here(t *testing.T) terminal {
	return terminal{t, func(args ...string) *exec.Cmd { return exec.Command("spmvtune", args...) }}
}

// try runs the program, and returns what it printed and its exit code.
func (u terminal) try(args ...string) (out string, code int) {
	text, err := u.command(args...).CombinedOutput()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		code = exit.ExitCode()
	case err != nil:
		return err.Error(), -1
	}
	return string(text), code
}

// do runs the program, and fails the test unless it ends with the exit code.
func (u terminal) do(code int, args ...string) string {
	u.t.Helper()
	out, got := u.try(args...)
	if got != code {
		u.t.Fatalf("spmvtune %s ends with %d, not %d:\n%s", strings.Join(args, " "), got, code, out)
	}
	return out
}

// says runs the program with the words of a line. It fails the test unless that ends with the exit code and says
// all that is wanted, wherever its lines break.
func (u terminal) says(code int, line string, wanted ...string) {
	u.t.Helper()
	out := u.do(code, strings.Fields(line)...)
	for _, want := range wanted {
		if !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			u.t.Errorf("spmvtune %s does not say %q:\n%s", line, want, out)
		}
	}
}

// submit submits a sweep, and returns the run's folder.
func (u terminal) submit(path string, more ...string) string {
	u.t.Helper()
	var s struct{ Dir string }
	testkit.Succeed(u.t, json.Unmarshal([]byte(u.do(0, append([]string{"submit", path, "--json"}, more...)...)), &s))
	return s.Dir
}

func (u terminal) status(dir string) (s status.Status) {
	u.t.Helper()
	testkit.Succeed(u.t, json.Unmarshal([]byte(u.do(0, "status", dir, "--json")), &s))
	return s
}

// wait waits until the status of a run is as wanted.
func (u terminal) wait(dir, what string, wanted func(status.Status) bool) (s status.Status) {
	u.t.Helper()
	slurmlab.Wait(u.t, func() (string, bool) {
		s = u.status(dir)
		return fmt.Sprintf("%s of %s: its status is %+v", what, dir, s), wanted(s)
	})
	return s
}

func over(s status.Status) bool { return !s.Active() }

// identities are those of the trials in a database.
func (u terminal) identities(db string) string {
	u.t.Helper()
	return u.do(0, "query", "--db", db, "--format", "csv", "SELECT identity FROM trial ORDER BY identity")
}

// A cluster is a lab with the program and a folder that users work in. The program is that of the tests, which
// measures no bandwidth.
type cluster struct {
	*slurmlab.Lab
	terminal
	program string
}

func newCluster(t *testing.T, options slurmlab.Options) *cluster {
	t.Helper()
	lab := slurmlab.Start(t, options)
	program := testkit.Must(exec.LookPath("spmvtune"))
	return (&cluster{Lab: lab, program: program}).in(t)
}

// in is the cluster in another test.
func (c *cluster) in(t *testing.T) *cluster {
	return &cluster{c.Lab, terminal{t, func(args ...string) *exec.Cmd { return c.Command(c.program, args...) }}, c.program}
}

// newBuilt is newCluster with the program as users build it.
func newBuilt(t *testing.T, options slurmlab.Options) *cluster {
	t.Helper()
	c := newCluster(t, options)
	c.program = filepath.Join(t.TempDir(), "spmvtune")
	build := exec.Command("go", "build", "-o", c.program, "../../..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return c.in(t)
}

// sweep writes a sweep file of some hundred trials of 20 ms, with lines for [slurm],
// and returns its path.
func (c *cluster) sweep(section ...string) string {
	c.t.Helper()
	path := filepath.Join(c.Dir, "small.toml")
	text := taskSweep + "[slurm]\n" + strings.Join(section, "\n") + "\n"
	testkit.Succeed(c.t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

// only is the only run of a pattern in the lab's folder.
func (c *cluster) only(pattern string) string {
	c.t.Helper()
	dirs, err := filepath.Glob(filepath.Join(c.Dir, pattern))
	if err != nil || len(dirs) != 1 {
		c.t.Fatalf("runs %q, %v", dirs, err)
	}
	return dirs[0]
}

func TestMain(m *testing.M) {
	if dir := os.Getenv(faultRetry); dir != "" {
		if err := retryAlone(dir); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	clitest.Main(m, cli.Main)
}

// onCluster begins the part of the tutorial that needs a Slurm.
const onCluster = "\n## 7. Send it to a cluster\n"

// The commands of the tutorial lead from an empty folder to a rule that was learned on a cluster. The
// program is that of the tests, which measures no bandwidth.
func TestTutorial(t *testing.T) {
	testkit.Long(t, "it measures two sweeps and starts a Slurm")
	text := slurmlab.Read(t, "../../../docs/tutorial.md")
	here, there, ok := strings.Cut(text, onCluster)
	testkit.Require(t, ok, "the tutorial lacks the heading%s", onCluster)
	local, remote := shellBlocks(here), shellBlocks(there)
	testkit.Require(t, len(local) >= 5 && len(remote) >= 3,
		"the tutorial has %d blocks here and %d on the cluster", len(local), len(remote))

	home := t.TempDir()
	follow := func(t *testing.T, folder string, env, blocks []string) (said string) {
		t.Helper()
		for _, block := range blocks {
			cmd := exec.Command("bash", "-euo", "pipefail", "-c", block)
			cmd.Dir = folder
			cmd.Env = append(env, cache.Env+"="+filepath.Join(home, "cache"))
			out, err := cmd.CombinedOutput()
			testkit.Require(t, err == nil, "%v\n%s\n%s", err, block, out)
			said += string(out)
		}
		return said
	}

	folder := filepath.Join(home, "tuning")
	follow(t, home, os.Environ(), local[:1])
	said := follow(t, folder, os.Environ(), local[1:])
	testkit.Says(t, "the part before the cluster", said, "trials measured: ", "uniform", "cpu_sell", "gflops")

	t.Run("cluster", func(t *testing.T) {
		lab := slurmlab.Start(t, slurmlab.Options{})
		said := follow(t, folder, lab.Env(), remote)
		testkit.Says(t, "the part on the cluster", said, "sbatch", "complete", "rule: spmvtune-out/second-")
		for _, name := range []string{"choose.h", "spmvtune-out/second-*/report.html", "spmvtune-out/second-*/results.db"} {
			if found, err := filepath.Glob(filepath.Join(folder, name)); len(found) != 1 {
				t.Errorf("%s is not there: %v, %v", name, found, err)
			}
		}
	})
}

// shellBlocks are the blocks of a page that a shell is given.
func shellBlocks(page string) (blocks []string) {
	for {
		_, rest, ok := strings.Cut(page, "\n```sh\n")
		if !ok {
			return blocks
		}
		block, after, _ := strings.Cut(rest, "\n```\n")
		blocks, page = append(blocks, block), after
	}
}

// Of a run that somebody else has sent, a second user cancels nothing and sends nothing again, whether Slurm shows
// the jobs or not, and is told whose they are.
func TestRunOfAnotherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can be a second user")
	}
	for name, c := range map[string]struct{ config, cancel, retry string }{
		"seen":   {"PrivateData=none", "could not be cancelled", "nothing to do yet"},
		"hidden": {"PrivateData=jobs", "you don't see the jobs of others", "nothing to do yet"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newCluster(t, slurmlab.Options{Config: []string{c.config}})
			gate := filepath.Join(l.Dir, "gate")
			run := l.submit(l.sweep(`setup = ["while ! [ -e ` + gate + ` ]; do sleep 0.1; done"]`))
			l.wait(run, "a task", func(s status.Status) bool { return s.Counts.Running > 0 })
			if out, err := exec.Command("chmod", "-R", "a+rwX", run, l.Dir).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			as := func(args ...string) string {
				cmd := l.Command(filepath.Join(run, "bin", "spmvtune"), append(args, run)...)
				cmd.Env = append(cmd.Env, "SPMVTUNE_CACHE="+l.Dir, "HOME="+l.Dir)
				cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
				out, _ := cmd.CombinedOutput()
				return strings.Join(strings.Fields(string(out)), " ")
			}
			if out := as("cancel"); !strings.Contains(out, "sent by root") || !strings.Contains(out, c.cancel) {
				t.Errorf("cancel says: %s", out)
			}
			if out := as("retry"); !strings.Contains(out, c.retry) {
				t.Errorf("retry says: %s", out)
			}
			testkit.Succeed(t, os.WriteFile(gate, nil, 0o666))
			if s := l.wait(run, "the end", over); s.Counts.Done != s.Counts.All {
				t.Errorf("at the end: %+v", s)
			}
		})
	}
}

// A command that Slurm stops answering says what it has done, and what failed.
func TestHalfDone(t *testing.T) {
	const breaks = "#!/bin/bash\ntouch \"$FAKE/broken\"\n"
	const broken = "[ ! -e \"$FAKE/broken\" ] || { echo 'squeue: error: Invalid request' >&2; exit 1; }\n"
	for _, c := range []struct {
		line, program, want string
	}{
		{"cancel %s", "scancel", "cancelled: "},
		{"throttle %s 2", "scontrol", "at most 2 tasks run at once"},
	} {
		f := newFaulty(t, 1)
		p := prepared{terminal: here(t), run: f.run}
		testkit.Succeed(t, os.WriteFile(filepath.Join(f.slurm.dir, c.program), []byte(breaks), 0o777))
		f.slurm.write("squeue", "#!/bin/bash\n"+broken+simulated["squeue"])
		p.says(1, fmt.Sprintf(c.line, f.run.Dir), c.want, "Invalid request")
	}
}
