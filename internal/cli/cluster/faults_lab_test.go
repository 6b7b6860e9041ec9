package cluster_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"spmvtune/internal/cli/command"
	"spmvtune/internal/testing/slurmlab"
	"spmvtune/internal/testing/testkit"
	"spmvtune/slurm"
	"spmvtune/slurm/status"
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
		f.t.Logf("then retry: %s", f.retry())
	}

	ids := strings.Fields(f.identities(database)) // after the name of the column
	if len(ids) != 1+taskTrials || len(slices.Compact(ids)) != 1+taskTrials {
		f.t.Errorf("the database has %d trials, and %d are planned", len(ids)-1, taskTrials)
	}
}

// simulated are Slurm's programs. The file queue has what squeue prints, down says that the controller does
// not answer, and fate what befalls the next sbatch: its caller is killed before or after the job is taken
// in, or it is not told of the job.
var simulated = map[string]string{
	"squeue": simulatedDown + `
want=.
while [ $# -gt 0 ]; do
	case $1 in -j) want="^\(${2//,/\\|}\)|" ;; -n) want="|${2//./\\.}|" ;; esac
	shift
done
grep -- "$want" "$FAKE/queue"
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

// mishap starts a task that waits, if there is one, and says what happened to it.
func (s *simulation) mishap(rng *rand.Rand) string {
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
	for what != "" && s.written(q.job()+"."+attempt+".") < after && len(ended) == 0 {
		time.Sleep(time.Millisecond)
	}

	switch what {
	case "killed", "lost", "lost for good":
		signal(syscall.SIGKILL)
	case "zombie", "zombie for good":
		signal(syscall.SIGSTOP)
		s.zombies = append(s.zombies, cmd)
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

// written counts the trials in the journals of an attempt, "101_0.0.".
func (s *simulation) written(attempt string) (n int) {
	files, _ := filepath.Glob(s.run.Path(slurm.JournalsDir, "*."+attempt+"*"))
	for _, f := range files {
		data, _ := os.ReadFile(f)
		n += strings.Count(string(data), `,"trial":`)
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
}
