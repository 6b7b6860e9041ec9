// SPDX-License-Identifier: Apache-2.0

package cluster_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.org/spmvtune/internal/testing/slurmlab"
	"example.org/spmvtune/internal/testing/slurmtest"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/slurm"
)

// simulated are Slurm's programs. The file queue has what squeue prints, down says that the controller does
// not answer, mute that squeue prints nothing, and fate what befalls the next sbatch: its caller is killed before or
// after the job is taken in, is not told of the job, or is told another number.
var simulated = map[string]string{
	"squeue": simulatedDown + `
want=.
while [ $# -gt 0 ]; do
	case $1 in -j) want="^\(${2//,/\\|}\)|" ;; -n) want="|${2//./\\.}|" ;; esac
	shift
done
[ -e "$FAKE/mute" ] || grep -- "$want" "$FAKE/queue"
exit 0`,
	"sbatch": simulatedDown + `
fate=$(cat "$FAKE/fate" 2>/dev/null)
rm -f "$FAKE/fate"
[ "$fate" != before ] || { kill -KILL $PPID; exit 1; }
last=
for a; do
	case $a in --job-name=*) name=${a#*=} ;; --array=0-*) last=${a#--array=0-} ;; esac
done
id=$((100 + $(ls "$FAKE" | grep -c ^args)))
echo "${@: -2}" > "$FAKE/args.$id"
[ -n "$last" ] || echo "$id|N/A|PENDING|0:00|5:00|N/A||$name|Dependency" >> "$FAKE/queue"
for i in ${last:+$(seq 0 "$last")}; do
	echo "$id|$i|PENDING|0:00|5:00|N/A||$name|Priority" >> "$FAKE/queue"
done
[ "$fate" != after ] || { kill -KILL $PPID; exit 1; }
[ "$fate" != lie ] || { echo "sbatch: error: Socket timed out on send/recv operation" >&2; exit 1; }
[ "$fate" != number ] || id=7
echo $id`,
	"scontrol": simulatedDown + `
case "$*" in *requeue*) touch "$FAKE/requeue" ;; *) ` + slurmlab.FakeConfig + ` ;; esac`,
	"sacct": "exit 1",
}

const simulatedDown = `[ ! -e "$FAKE/down" ] || {
	echo "error: Unable to contact slurm controller (connect failure)" >&2
	exit 1
}`

// A simulation stands for Slurm. Its tasks are processes of the run's own program, which the test starts one
// after the other.
type simulation struct {
	t   *testing.T
	run *slurm.Run
	dir string // dir is the folder of the programs.
	// restarts counts how often a task, "101_0", was started again.
	restarts map[string]int
	// zombies are tasks that Slurm has given up, and that are stopped.
	zombies []*exec.Cmd
	// meanwhile is what happens while a task is unseen, which may be in the middle of its trials.
	meanwhile func(measures func() bool)
}

func simulate(t *testing.T) *simulation {
	t.Helper()
	s := &simulation{t: t, dir: slurmlab.Fake(t, simulated), restarts: map[string]int{}}
	s.write("queue", "")
	t.Cleanup(s.killZombies)
	return s
}

func (s *simulation) write(name, text string) {
	s.t.Helper()
	testkit.Succeed(s.t, os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o666))
}

func (s *simulation) remove(name string) bool { return os.Remove(filepath.Join(s.dir, name)) == nil }

// A queued job is a line of squeue.
type queued struct {
	id, task, state, start, name, reason string
}

func (q queued) job() string { return q.id + "_" + q.task }

func (q queued) waits() bool { return q.state == "PENDING" && q.task != "N/A" }

func (s *simulation) queue() (list []queued) {
	s.t.Helper()
	data := slurmlab.Read(s.t, filepath.Join(s.dir, "queue"))
	for line := range strings.Lines(data) {
		f := strings.Split(strings.TrimSpace(line), "|")
		list = append(list, queued{f[0], f[1], f[2], f[5], f[7], f[8]})
	}
	return list
}

func (s *simulation) setQueue(list []queued) {
	s.t.Helper()
	var b strings.Builder
	for _, q := range list {
		fmt.Fprintf(&b, "%s|%s|%s|0:10|5:00|%s|n1|%s|%s\n", q.id, q.task, q.state, q.start, q.name, q.reason)
	}
	s.write("queue", b.String())
}

func (s *simulation) set(job, state, reason string) {
	s.t.Helper()
	list := s.queue()
	for i, q := range list {
		if q.job() == job {
			list[i].state, list[i].reason, list[i].start = state, reason, time.Now().Format("2006-01-02T15:04:05")
		}
	}
	s.setQueue(list)
}

// chunk is what a task measures.
func (s *simulation) chunk(q queued) string {
	s.t.Helper()
	round, base := s.args(q)
	chunks := testkit.Must(s.run.Round(round))
	i := testkit.Must(strconv.Atoi(q.task))
	return chunks[base+i]
}

func (s *simulation) args(q queued) (round, base int) {
	s.t.Helper()
	data := slurmlab.Read(s.t, filepath.Join(s.dir, "args."+q.id))
	testkit.Must(fmt.Sscan(data, &round, &base))
	return round, base
}

// checkQueue fails the test if two tasks wait for the same trials.
func (s *simulation) checkQueue() {
	s.t.Helper()
	var active []string
	for _, q := range s.queue() {
		if !q.waits() {
			continue
		}
		chunk := s.chunk(q)
		for _, other := range active {
			if chunk == other || strings.HasPrefix(chunk, other+".") || strings.HasPrefix(other, chunk+".") {
				s.t.Fatalf("chunk %s was sent while %s waited", chunk, other)
			}
		}
		active = append(active, chunk)
	}
}

// mishaps are what may happen to a task. "" stands for nothing.
var mishaps = []string{
	"", "", "killed", "lost", "lost for good", "zombie", "zombie for good", "timeout", "warned", "cancelled",
}

// mishap starts a task that waits, if there is one, and says which of some mishaps befell it.
func (s *simulation) mishap(rng *rand.Rand, mishaps ...string) string {
	s.t.Helper()
	list := slices.DeleteFunc(s.queue(), func(q queued) bool { return !q.waits() })
	if len(list) == 0 {
		return "no task waits"
	}
	q, what := list[rng.IntN(len(list))], mishaps[rng.IntN(len(mishaps))]
	after := rng.IntN(7)
	if what == "cancelled" {
		s.set(q.job(), "CANCELLED", "None")
		return q.job() + " cancelled"
	}
	s.start(q, what, after)
	return fmt.Sprintf("%s at chunk %s ran: %s after %d trials", q.job(), s.chunk(q), what, after)
}

// start runs a task until it ends or something happens to it, after it has written some trials.
func (s *simulation) start(q queued, what string, after int) {
	s.t.Helper()
	round, base := s.args(q)
	attempt := strconv.Itoa(s.restarts[q.job()])
	cmd := exec.Command("bash", s.run.Path(slurm.TaskScript), strconv.Itoa(round), strconv.Itoa(base))
	cmd.Env = append(os.Environ(), "SLURM_ARRAY_JOB_ID="+q.id, "SLURM_ARRAY_TASK_ID="+q.task, "SLURMD_NODENAME=n1",
		"SLURM_RESTART_COUNT="+attempt)
	log := testkit.Must(os.OpenFile(s.run.Path(slurm.LogsDir, q.job()+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666))
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	testkit.Succeed(s.t, cmd.Start())

	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	signal := func(sig syscall.Signal) { syscall.Kill(-cmd.Process.Pid, sig) }
	for what != "" && s.records("trial", q.job()+"."+attempt+".") < after && len(ended) == 0 {
		time.Sleep(time.Millisecond)
	}

	switch what {
	case "killed", "lost", "lost for good":
		signal(syscall.SIGKILL)
	case "zombie", "zombie for good":
		signal(syscall.SIGSTOP)
		s.zombies = append(s.zombies, cmd)
	case "unseen":
		signal(syscall.SIGSTOP)
		s.meanwhile(func() bool {
			return s.records("trial", q.job()+"."+attempt+".") > 0 && s.records("end", q.job()+"."+attempt+".") == 0
		})
		signal(syscall.SIGCONT)
	case "timeout":
		cmd.Process.Signal(syscall.SIGTERM)
	case "warned":
		cmd.Process.Signal(syscall.SIGUSR1)
	}
	var err error
	if !strings.HasPrefix(what, "zombie") {
		err = <-ended
	}
	s.over(q, what, err)
}

// over says to the queue how a task ended.
func (s *simulation) over(q queued, what string, err error) {
	s.t.Helper()
	again := s.remove("requeue")
	switch {
	case what == "lost", what == "zombie", again:
		s.restarts[q.job()]++
		s.set(q.job(), "PENDING", "BeginTime")
	case what == "lost for good", what == "zombie for good":
		s.set(q.job(), "NODE_FAIL", "NodeDown")
	case err == nil:
		s.set(q.job(), "COMPLETED", "None")
	case what == "killed":
		s.set(q.job(), "FAILED", "JobLaunchFailure")
	case what == "timeout":
		s.set(q.job(), "TIMEOUT", "TimeLimit")
	default:
		s.set(q.job(), "FAILED", "NonZeroExitCode")
	}
}

// records counts the lines of a kind in the journals of an attempt, "101_0.0.".
func (s *simulation) records(kind, attempt string) (n int) {
	files, _ := filepath.Glob(s.run.Path(slurm.JournalsDir, "*."+attempt+"*"))
	for _, f := range files {
		data, _ := os.ReadFile(f)
		n += strings.Count(string(data), `,"`+kind+`":`)
	}
	return n
}

// wake lets the zombies go on until they end.
func (s *simulation) wake() {
	for _, z := range s.zombies {
		syscall.Kill(-z.Process.Pid, syscall.SIGCONT)
	}
	for _, z := range s.zombies {
		for syscall.Kill(z.Process.Pid, 0) == nil {
			time.Sleep(time.Millisecond)
		}
	}
	s.zombies = nil
	slurmtest.Age(s.t, s.run)
}

func (s *simulation) killZombies() {
	for _, z := range s.zombies {
		syscall.Kill(-z.Process.Pid, syscall.SIGKILL)
	}
}

// settle runs all that waits, without mishaps.
func (s *simulation) settle() {
	s.t.Helper()
	s.remove("down")
	s.remove("fate")
	s.wake()
	for {
		list := slices.DeleteFunc(s.queue(), func(q queued) bool { return !q.waits() })
		if len(list) == 0 {
			return
		}
		s.start(list[0], "", 0)
	}
}

// forget is what Slurm does with jobs that ended some minutes ago.
func (s *simulation) forget() {
	s.t.Helper()
	s.setQueue(slices.DeleteFunc(s.queue(), func(q queued) bool { return q.state != "PENDING" }))
	slurmtest.Age(s.t, s.run)
}
