// SPDX-License-Identifier: Apache-2.0

package cluster_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.org/spmvtune/internal/cli/command"
	"example.org/spmvtune/internal/testing/slurmlab"
	"example.org/spmvtune/internal/testing/slurmtest"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/slurm/status"
)

// labFaultsEnv is faultsEnv for sequences on a real Slurm.
const labFaultsEnv = "SPMVTUNE_LAB_FAULTS"

// The same as TestFaults on a real Slurm, with nodes that are lost.
func TestLabFaults(t *testing.T) {
	n, first := askedFaults(t, labFaultsEnv, 1)
	l := newCluster(t, slurmlab.Options{MaxArray: 4})
	for seed := first; seed < first+n; seed++ {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			f := labFaults{cluster: l.in(t), rng: rand.New(rand.NewPCG(uint64(seed), 1))}
			path := f.sweep("cpus = 1", `chunk = "8s"`, "mix_devices = true")
			text := strings.Replace(slurmlab.Read(t, path), `"20ms"`, `"100ms"`, 1) // time for something to happen
			testkit.Succeed(t, os.WriteFile(path, []byte(text), 0o666))
			f.dir = f.submit(path)
			f.wait(f.dir, "the first trials", func(s status.Status) bool { return s.Trials.Done > 5 })
			for range 8 + f.rng.IntN(8) {
				step := labSteps[f.rng.IntN(len(labSteps))]
				t.Logf("%s: %s", step.name, step.take(&f))
				time.Sleep(time.Duration(f.rng.IntN(2000)) * time.Millisecond)
			}
			f.complete()
		})
	}
}

type labFaults struct {
	*cluster
	rng  *rand.Rand
	dir  string
	down []string // down are the nodes that are lost.
}

var labSteps = []struct {
	name string
	take func(f *labFaults) string
}{
	{"kill -9", (*labFaults).kill}, {"kill -9", (*labFaults).kill},
	{"node", func(f *labFaults) string { return f.lose(f.KillNode) }},
	{"node, and its tasks live", func(f *labFaults) string { return f.lose(f.KillSlurmd) }},
	{"node returns", (*labFaults).restore},
	{"requeued", func(f *labFaults) string { return f.ask("scontrol", "requeue") }},
	{"requeued and held", func(f *labFaults) string { return f.ask("scontrol", "requeuehold") }},
	{"cancelled", func(f *labFaults) string { return f.ask("scancel") }},
	{"controller", (*labFaults).freeze},
	{"controller restarts", func(f *labFaults) string { return f.restart(false) }},
	{"controller dies", func(f *labFaults) string { return f.restart(true) }},
	{"retry", (*labFaults).retry}, {"retry", (*labFaults).retry},
	{"merge", func(f *labFaults) string { _, code := f.try("merge", f.dir); return fmt.Sprint(code) }},
	{"journal", (*labFaults).journal}, {"journal", (*labFaults).journal}, {"journal", (*labFaults).journal},
	{"ledger.jsonl", func(f *labFaults) string { return damage(f.t, f.rng, filepath.Join(f.dir, "ledger.jsonl")) }},
	{"edited sweep", (*labFaults).edit},
}

// kill kills a task of the run that runs on any node.
func (f *labFaults) kill() string {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	f.rng.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	for _, file := range files {
		args, _ := os.ReadFile(file)
		words := bytes.Split(args, []byte{0})
		if len(words) < 3 || string(words[0]) != filepath.Join(f.dir, "bin", "spmvtune") || string(words[1]) != "task" {
			continue
		}
		pid := testkit.Must(strconv.Atoi(filepath.Base(filepath.Dir(file))))
		syscall.Kill(pid, syscall.SIGKILL)
		return strconv.Itoa(pid)
	}
	return "no task runs"
}

// lose loses a node, but not the last one.
func (f *labFaults) lose(kill func(node string)) string {
	node := []string{"n1", "n2", "n3"}[f.rng.IntN(3)]
	if slices.Contains(f.down, node) || len(f.down) == 2 {
		return "enough are lost"
	}
	kill(node)
	f.LoseNode(node)
	f.down = append(f.down, node)
	return node
}

func (f *labFaults) restore() string {
	f.t.Helper()
	was := f.down
	for _, node := range f.down {
		f.RestartNode(node)
	}
	f.down = nil
	return strings.Join(was, " ")
}

// ask runs a command of Slurm's on a job of the run that has not ended.
func (f *labFaults) ask(args ...string) string {
	queue, err := f.Command("squeue", "-h", "-r", "-t", "pending,running", "-o", "%i").CombinedOutput()
	if err != nil { // its controller has just started
		return string(queue)
	}
	jobs := strings.Fields(string(queue))
	if len(jobs) == 0 {
		return "no job is left"
	}
	args = append(args, jobs[f.rng.IntN(len(jobs))])
	out, err := f.Command(args[0], args[1:]...).CombinedOutput()
	return fmt.Sprint(args, err, strings.TrimSpace(string(out)))
}

func (f *labFaults) freeze() string {
	f.t.Helper()
	f.Freeze()
	time.Sleep(time.Duration(f.rng.IntN(3000)) * time.Millisecond)
	f.Thaw()
	return ""
}

func (f *labFaults) restart(killed bool) string {
	f.t.Helper()
	f.RestartController(killed)
	return ""
}

func (f *labFaults) retry() string {
	out, code := f.try("retry", f.dir)
	first, _, _ := strings.Cut(out, "\n")
	return fmt.Sprint(code, " ", first)
}

func (f *labFaults) journal() string {
	files, _ := filepath.Glob(filepath.Join(f.dir, "journals", "*"))
	if len(files) == 0 {
		return "there is none"
	}
	file := files[f.rng.IntN(len(files))]
	return filepath.Base(file) + ": " + damage(f.t, f.rng, file)
}

// edit changes the protocol, which stops retry and merge, and puts it back.
func (f *labFaults) edit() string {
	f.t.Helper()
	path := filepath.Join(f.dir, "sweep.toml")
	text := slurmlab.Read(f.t, path)
	testkit.Succeed(f.t, os.WriteFile(path, []byte(strings.Replace(text, "warmup = 0", "warmup = 1", 1)), 0o666))
	for _, name := range []string{"retry", "merge"} {
		f.says(command.ExitFailed, name+" "+f.dir, "was edited")
	}
	testkit.Succeed(f.t, os.WriteFile(path, []byte(text), 0o666))
	return ""
}

var held = regexp.MustCompile(`(?i)h[eo]ld`)

// complete retries until nothing is missing, and asks a new database for every trial.
func (f *labFaults) complete() {
	f.t.Helper()
	f.restore()
	database := filepath.Join(f.dir, "results.db")
	for tries := 0; ; tries++ {
		slurmlab.Wait(f.t, func() (string, bool) {
			queue, err := f.Command("squeue", "-h", "-r", "-t", "pending,running,completing", "-o",
				"%i %T %R %j").CombinedOutput()
			for line := range strings.Lines(string(queue)) {
				// Slurm also holds a job that a busy node could not start, and status says what lets it go.
				if id, _, _ := strings.Cut(line, " "); held.MatchString(line) {
					f.Run("scontrol", "release", id)
				}
			}
			return "jobs don't end:\n" + string(queue), err == nil && len(queue) == 0
		})
		if err := os.Remove(database); err != nil && !os.IsNotExist(err) {
			f.t.Fatal(err)
		}
		out, code := f.try("merge", f.dir)
		if code == 0 {
			break
		}
		if tries == 10 {
			f.t.Fatalf("not complete after %d retries:\n%s", tries, out)
		}
		slurmtest.Age(f.t, slurmtest.Opened(f.t, f.dir)) // a controller that died may have lost a task's end
		f.t.Logf("then retry: %s", f.retry())
	}

	ids := strings.Fields(f.identities(database)) // after the name of the column
	if len(ids) != 1+taskTrials || len(slices.Compact(ids)) != 1+taskTrials {
		f.t.Errorf("the database has %d trials, and %d are planned", len(ids)-1, taskTrials)
	}
}
