// SPDX-License-Identifier: Apache-2.0

package sbatch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.org/spmvtune/internal/testing/slurmlab"
	"example.org/spmvtune/internal/testing/testkit"
)

// recorded is what a command of Slurm printed once.
func recorded(t *testing.T, name string) string {
	t.Helper()
	data := slurmlab.Read(t, filepath.Join("testdata", "recorded", filepath.FromSlash(name)))
	return data
}

// byName are jobs by name, with the index where they are tasks of an array: a
// recording that is made anew has other ids.
func byName(jobs []Job) map[string]Job {
	all := map[string]Job{}
	for _, j := range jobs {
		name := j.Name
		if j.Task >= 0 {
			name += fmt.Sprintf("/%d", j.Task)
		}
		all[name] = j
	}
	return all
}

func TestParseQueue(t *testing.T) {
	jobs := testkit.Must(parseQueue(recorded(t, "22.05/squeue.txt"), ""))
	got := byName(jobs)
	for name, want := range map[string]State{
		"preempted": Preempted, "two words/0": Completed, "two words/1": Failed, "throttled/4": Running,
		"throttled/6": Pending, "above": Pending, "late": Deadline, "over": TimedOut, "cancelled": Cancelled, "lost": NodeFail,
	} {
		testkit.Equal(t, got[name].State, want, "%s", name)
	}
	testkit.Equal(t, got["above"].Reason, "PartitionTimeLimit", "reason")
	j := got["two words/1"]
	testkit.Check(t, j.Reason == "NonZeroExitCode" && j.Nodes == "n1" && !j.Start.IsZero(), "a failed task is %+v", j)
	testkit.Equal(t, got["winner"].Task, -1, "a job is")
	if j := got["throttled/4"]; j.Ran < 20*time.Second || j.Reason != "" {
		t.Errorf("a running task is %+v", j)
	}
	if j := got["finish"]; j.Reason != "Dependency" || j.Nodes != "" || !j.Start.IsZero() {
		t.Errorf("a job that waits is %+v", j)
	}
}

func TestParseQueueElsewhere(t *testing.T) {
	jobs := testkit.Must(parseQueue(recorded(t, "elsewhere/squeue-federation.txt"), ""))
	testkit.Check(t, len(jobs) == 2 && jobs[0].Cluster == "alpha" && jobs[1].Cluster == "beta", "on clusters: %+v", jobs)
	jobs = testkit.Must(parseQueue(recorded(t, "elsewhere/squeue.txt"), ""))
	testkit.Check(t, jobs[1].State == OutOfMemory && jobs[3].State == Revoked && jobs[4].State == Unknown,
		"states are %+v", jobs)
	jobs = testkit.Must(parseQueue("7|N/A|PENDING|0:00|5:00|N/A||a | bar|None\n", ""))
	testkit.Check(t, jobs[0].Name == "a | bar", "a name with a bar: %+v", jobs)
	testkit.Fails(t, testkit.Err(parseQueue("squeue has become chatty\n", "")), "", "a line that is no job is taken for one")
}

func TestParseAccounts(t *testing.T) {
	jobs := testkit.Must(parseAccounts(recorded(t, "22.05/sacct.txt"), ""))
	got := byName(jobs)
	if j := got["two words/1"]; j.State != Failed || j.Exit != "3:0" {
		t.Errorf("a failed task is %+v", j)
	}
	testkit.Equal(t, got["cancelled"].State, Cancelled, "a cancelled job is")
	if j := got["above"]; j.Nodes != "" || !j.Start.IsZero() {
		t.Errorf("a pending job is %+v", j)
	}
	jobs = testkit.Must(parseAccounts(recorded(t, "elsewhere/sacct.txt"), ""))
	states := map[State]int{}
	for _, j := range jobs {
		states[j.State]++
	}
	testkit.Check(t, states[Pending] >= 800 && states[OutOfMemory] == 1 && states[Unknown] == 1 && states[Completed] == 1,
		"states are %v", states)
}

func TestParseTasks(t *testing.T) {
	for text, want := range map[string][]int{
		"12":                    {-1},
		"12_3":                  {3},
		"12_[1-3,5%2]":          {1, 2, 3, 5},
		"12_[0-20:10,30]":       {0, 10, 20, 30},
		"12_[1,2,...]":          {1, 2},
		"12.batch":              nil,
		"12_[0-4294967295]":     nil, // no array is that long
		"12_[0-4:0]":            nil,
		"12+1":                  nil, // of a job with several components, which we never submit
		"Slurm is out of order": nil,
	} {
		_, got, ok := parseTasks(text)
		testkit.Check(t, ok == (want != nil) && (!ok || slices.Equal(got, want)), "parseTasks(%q) = %v, %v", text, got, ok)
	}
}

func TestParseConfig(t *testing.T) {
	for file, want := range map[string]Config{
		"22.05/config.txt":           {"cluster", 1001, 20000, 0, 0, true, false},
		"elsewhere/config-25.05.txt": {"", 11000, 65000, 0, 0, false, false},
	} {
		testkit.Equal(t, testkit.Must(parseConfig(recorded(t, file))), want, "%s", file)
	}
	testkit.Fails(t, testkit.Err(parseConfig("Configuration data as of today\n")), "", "a configuration without MaxArraySize is taken")
}

func TestParseSubmitted(t *testing.T) {
	for file, cluster := range map[string]string{
		"22.05/sbatch.txt":         "",
		"22.05/sbatch-cluster.txt": "cluster",
	} {
		got, ok := parseSubmitted(recorded(t, file))
		testkit.Check(t, ok && got.Cluster == cluster, "%s: %+v, %v", file, got, ok)
	}
	if got, ok := parseSubmitted("sbatch: no partition specified, using default partition m100\n7787232\n"); !ok || got.ID != "7787232" {
		t.Errorf("after a site's own words: %+v, %v", got, ok)
	}
	for _, out := range []string{"", "Submitted batch job 12", "no", "12\n7 jobs\n30\n"} {
		if id, ok := parseSubmitted(out); ok {
			t.Errorf("%q gives job %v", out, id)
		}
	}
}

func TestLimit(t *testing.T) {
	out := recorded(t, "22.05/partitions.txt")
	for partition, want := range map[string]Limit{
		"":           {"debug", 10 * time.Minute, 5 * time.Minute, 0, 0},
		"low":        {"low", 10 * time.Minute, 5 * time.Minute, 0, 0},
		"high,debug": {"debug", 10 * time.Minute, 5 * time.Minute, 0, 0},
	} {
		testkit.Equal(t, testkit.Must(parseLimit(out, partition)), want, "%q", partition)
	}
	l := testkit.Must(parseLimit(out, "high"))
	testkit.Check(t, l.Max == 0 && l.Check("30-00") == nil, "a partition without a limit: %+v", l)
	testkit.Fails(t, testkit.Err(parseLimit(out, "nowhere")), "low", "an unknown partition")
	l = Limit{"debug", 10 * time.Minute, 5 * time.Minute, 0, 0}
	for limit, ok := range map[string]bool{"10": true, "00:10:00": true, "10:01": false, "1-00": false, "0": false, "": true} {
		testkit.Equal(t, l.Check(limit) == nil, ok, "a limit of %q", limit)
	}
}

func TestParseTime(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"90": 90 * time.Minute, "1:30": 90 * time.Second, "01:00:00": time.Hour, "2-12": 60 * time.Hour,
		"1-00:30": 24*time.Hour + 30*time.Minute, "1-02:03:04": 26*time.Hour + 3*time.Minute + 4*time.Second,
		"UNLIMITED": 0, "infinite": 0,
	} {
		got, ok := ParseTime(text)
		testkit.Check(t, ok && got == want, "ParseTime(%q) = %s, %v", text, got, ok)
		if back, ok := ParseTime(FormatTime(got)); !ok || back != got {
			t.Errorf("%q is written as %q", text, FormatTime(got))
		}
	}
	for _, text := range []string{"", "soon", "1:2:3:4", "-1", "1-2:3:4:5", "N/A"} {
		if d, ok := ParseTime(text); ok {
			t.Errorf("ParseTime(%q) = %s", text, d)
		}
	}
}

func TestHangingCommandIsKilledWithItsChildren(t *testing.T) {
	dir := slurmlab.Fake(t, map[string]string{"squeue": `sleep 300 & echo $! > "$FAKE/child"; wait`})
	_, err := hasty.Jobs(t.Context(), []JobID{{ID: "1"}})
	var silent *NoAnswerError
	testkit.Require(t, errors.As(err, &silent) && silent.After == hasty.Timeout, "error %v", err)
	text := slurmlab.Read(t, filepath.Join(dir, "child"))
	child := testkit.Must(strconv.Atoi(strings.TrimSpace(text)))
	slurmlab.Wait(t, func() (string, bool) { // a killed process is there until init has taken note
		return "a process of the command still runs", syscall.Kill(child, 0) != nil || zombie(child)
	})
}

// A wrapper may end before what it has started prints an answer. Then it has not answered. What it leaves
// with the errors does not matter.
func TestOutputThatIsHeld(t *testing.T) {
	dir := slurmlab.Fake(t, map[string]string{
		"squeue":   `setsid sleep 300 2>/dev/null & echo $! > "$FAKE/child"`,
		"scontrol": `setsid sleep 300 >/dev/null & echo $! > "$FAKE/child"; echo "MaxArraySize = 7"`,
	})
	release := func() {
		text := slurmlab.Read(t, filepath.Join(dir, "child"))
		child := testkit.Must(strconv.Atoi(strings.TrimSpace(text)))
		syscall.Kill(child, syscall.SIGKILL)
	}

	_, err := hasty.Named(t.Context(), "", "x")
	release()
	var silent *NoAnswerError
	testkit.Check(t, errors.As(err, &silent) && strings.Contains(err.Error(), "still holds its output"),
		"half an answer ends with %v", err)
	config, err := hasty.Config(t.Context())
	release()
	testkit.Check(t, err == nil && config.MaxArraySize == 7, "config %+v, %v", config, err)
}

func zombie(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || strings.Contains(string(stat), ") Z ")
}

func TestErrorsOfCommands(t *testing.T) {
	slurmlab.Fake(t, map[string]string{
		"sbatch":   `echo "sbatch: error: invalid partition specified: x" >&2; echo "sbatch: error: Batch job submission failed: Invalid partition name specified" >&2; exit 1`,
		"scontrol": `echo "slurm_load_ctl_conf error: Unable to contact slurm controller (connect failure)" >&2; exit 1`,
		"squeue":   `kill -SEGV $$`,
	})
	var refused *RefusedError
	_, err := hasty.Submit(t.Context(), "", nil)
	testkit.Check(t, errors.As(err, &refused) &&
		refused.Said == "invalid partition specified: x; Batch job submission failed: Invalid partition name specified",
		"sbatch: %v", err)
	var silent *NoAnswerError
	if _, err := hasty.Config(t.Context()); !errors.As(err, &silent) {
		t.Errorf("scontrol: %v", err)
	}
	if _, err := hasty.Named(t.Context(), "", "x"); !errors.As(err, &silent) {
		t.Errorf("squeue, which crashed: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := hasty.Config(t.Context()); err == nil || !strings.Contains(err.Error(), "login node") {
		t.Errorf("a missing command: %v", err)
	}
	if a, err := hasty.Accounting(t.Context(), []JobID{{ID: "1"}}); err == nil || a != nil {
		t.Errorf("accounting without sacct: %+v", a)
	}
}

// Other versions than 22.05 refuse the whole list for the sake of one job.
func TestUnknownJobsAreLeftOut(t *testing.T) {
	dir := slurmlab.Fake(t, map[string]string{"squeue": `case "$*" in
*" 2 "*) echo "2|N/A|RUNNING|0:10|5:00|N/A|n1|x|None" ;;
*) echo "slurm_load_jobs error: Invalid job id specified" >&2; exit 1 ;;
esac`})
	jobs := testkit.Must(hasty.Jobs(t.Context(), []JobID{{ID: "1"}, {ID: "2"}, {ID: "3"}, {ID: "2"}}))
	testkit.Check(t, len(jobs) == 1 && jobs[0].State == Running, "%+v", jobs)
	testkit.Equal(t, slurmlab.Calls(t, dir, "squeue"), 4, "squeue ran")
}

func TestEachClusterIsAskedOnce(t *testing.T) {
	dir := slurmlab.Fake(t, map[string]string{
		"squeue":  `[ "$1" != -M ] || echo "CLUSTER: $2"; echo "$RANDOM|N/A|RUNNING|0:10|5:00|N/A|n1|x|None"`,
		"scancel": ``,
	})
	jobs := testkit.Must(hasty.Jobs(t.Context(), []JobID{{"1", "a"}, {"2", ""}, {"3", "a"}}))
	testkit.Check(t, len(jobs) == 2 && jobs[0].Cluster == "a" && jobs[1].Cluster == "", "%+v", jobs)
	testkit.Succeed(t, hasty.Cancel(t.Context(), []JobID{{"1", "a"}, {"2", ""}, {"3", "a"}}))
	text := slurmlab.Read(t, filepath.Join(dir, "calls"))
	testkit.Check(t, strings.Contains(text, "scancel -M a 1 3\nscancel 2\n"), "calls are\n%s", text)
}

func TestEnvironment(t *testing.T) {
	env := []string{
		"HOME=/home/u", "LC_ALL=de_DE.UTF-8", "SLURM_CONF=/etc/s.conf", "SLURM_CONF_SERVER=ctl", "SLURM_JOB_ID=1",
		"SLURM_JWT=token", "SLURM_SACK_SOCKET=/run/sack",
		"SLURM_CLUSTERS=a", "SBATCH_PARTITION=x", "SBATCH_EXPORT=NONE", "SQUEUE_FORMAT=%i", "SACCT_FORMAT=x",
		"SCANCEL_STATE=x", "SINFO_FORMAT=x", "SALLOC_X=1", "SRUN_X=1", "CUDA_VISIBLE_DEVICES=0", "SLURMX=stays",
	}
	submit := []string{"HOME=/home/u", "LC_ALL=de_DE.UTF-8", "SLURM_CONF=/etc/s.conf", "SLURM_CONF_SERVER=ctl", "SLURM_JWT=token", "SLURM_SACK_SOCKET=/run/sack", "SLURMX=stays"}
	testkit.EqualLists(t, cleanEnv(env), submit, "of a job")
	ask := []string{"HOME=/home/u", "SLURM_CONF=/etc/s.conf", "SLURM_CONF_SERVER=ctl", "SLURM_JWT=token", "SLURM_SACK_SOCKET=/run/sack", "SLURMX=stays", "LC_ALL=C", "SLURM_BITSTR_LEN=0"}
	testkit.EqualLists(t, askEnv(env), ask, "of a question")
}

// Who waits for a controller that hangs is told so.
func TestTellOfASilentController(t *testing.T) {
	slurmlab.Fake(t, map[string]string{"squeue": "sleep 300"})
	usual := tellAfter
	tellAfter = time.Millisecond
	defer func() { tellAfter = usual }()
	told := make(chan string, 1)
	client := &Client{Timeout: 200 * time.Millisecond, Tell: func(waiting string) { told <- waiting }}
	testkit.Fails(t, testkit.Err(client.ask(t.Context(), "", "squeue")), "", "a controller that hangs has answered")
	testkit.Equal(t, <-told, "squeue has no answer from slurm's controller yet; it gets 200ms", "told")
}

func TestUpdated(t *testing.T) {
	testkit.Check(t, updated("38_0-1: Job has already finished\n38_2: Job is no longer pending execution\n38_3-5: No error\n"),
		"an array of which some tasks have ended can't be throttled")
	for _, said := range []string{"", "Invalid job id specified for job 9\n", "38_0: No error\n38_1: Access/permission denied\n"} {
		testkit.Check(t, !updated(said), "%q is taken for success", said)
	}
}

// hasty is a client that does not wait for long.
var hasty = &Client{Timeout: time.Second, Pause: 10 * time.Millisecond, Patience: 5 * time.Second}

func TestParseState(t *testing.T) {
	for text, want := range map[string]State{
		"COMPLETED":         Completed,
		" RUNNING ":         Running,
		"CANCELLED by 1000": Cancelled,
		"COMPLETE":          Unknown,
		"OUT_OF_MEMORY":     OutOfMemory,
		"TIMEOUT":           TimedOut,
		"":                  Unknown,
		"EXPEDITING":        Unknown, // of a later version
		"UNKNOWN":           Unknown,
	} {
		testkit.Equal(t, ParseState(text), want, "ParseState(%q)", text)
	}
	testkit.Check(t, !Unknown.Terminal() && !Unknown.Active(), "an unknown state says something")
	testkit.Check(t, !Completed.Active() && Completed.Terminal(), "a completed job is not just completed")
	testkit.Check(t, Requeued.Active() && Preempted.Terminal() && SpecialExit.Active(),
		"a job that runs again is not active, or one that does not is")
}
