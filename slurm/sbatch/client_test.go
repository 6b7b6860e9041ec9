package sbatch

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"spmvtune/internal/testing/slurmlab"
	"spmvtune/internal/testing/testkit"
)

func TestHangingCommandIsKilledWithItsChildren(t *testing.T) {
	dir := slurmlab.Fake(t, map[string]string{"squeue": `sleep 300 & echo $! > "$FAKE/child"; wait`})
	_, err := hasty.Jobs(t.Context(), []JobID{{ID: "1"}})
	var silent *NoAnswerError
	if !errors.As(err, &silent) || silent.After != hasty.Timeout {
		t.Fatalf("error %v", err)
	}
	text := slurmlab.Read(t, filepath.Join(dir, "child"))
	child, err := strconv.Atoi(strings.TrimSpace(text))
	slurmlab.Must(t, err)
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
		child, err := strconv.Atoi(strings.TrimSpace(text))
		slurmlab.Must(t, err)
		syscall.Kill(child, syscall.SIGKILL)
	}

	_, err := hasty.Named(t.Context(), "", "x")
	release()
	var silent *NoAnswerError
	if !errors.As(err, &silent) || !strings.Contains(err.Error(), "still holds its output") {
		t.Errorf("half an answer ends with %v", err)
	}
	config, err := hasty.Config(t.Context())
	release()
	if err != nil || config.MaxArraySize != 7 {
		t.Errorf("config %+v, %v", config, err)
	}
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
	if !errors.As(err, &refused) || refused.Said != "invalid partition specified: x; Batch job submission failed: Invalid partition name specified" {
		t.Errorf("sbatch: %v", err)
	}
	var silent *NoAnswerError
	if _, err := hasty.Config(t.Context()); !errors.As(err, &silent) {
		t.Errorf("scontrol: %v", err)
	}
	if _, err := hasty.Named(t.Context(), "", "x"); !errors.As(err, &silent) {
		t.Errorf("squeue, which crashed: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	var missing *MissingError
	if _, err := hasty.Config(t.Context()); !errors.As(err, &missing) || !strings.Contains(err.Error(), "login node") {
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
	jobs, err := hasty.Jobs(t.Context(), []JobID{{ID: "1"}, {ID: "2"}, {ID: "3"}, {ID: "2"}})
	if err != nil || len(jobs) != 1 || jobs[0].State != Running {
		t.Errorf("%+v, %v", jobs, err)
	}
	if n := slurmlab.Calls(t, dir, "squeue"); n != 4 {
		t.Errorf("squeue ran %d times, not once for all and once for each", n)
	}
}

func TestEachClusterIsAskedOnce(t *testing.T) {
	dir := slurmlab.Fake(t, map[string]string{
		"squeue":  `[ "$1" != -M ] || echo "CLUSTER: $2"; echo "$RANDOM|N/A|RUNNING|0:10|5:00|N/A|n1|x|None"`,
		"scancel": ``,
	})
	jobs, err := hasty.Jobs(t.Context(), []JobID{{"1", "a"}, {"2", ""}, {"3", "a"}})
	if err != nil || len(jobs) != 2 || jobs[0].Cluster != "" || jobs[1].Cluster != "a" {
		t.Errorf("%+v, %v", jobs, err)
	}
	slurmlab.Must(t, hasty.Cancel(t.Context(), []JobID{{"1", "a"}, {"2", ""}, {"3", "a"}}))
	text := slurmlab.Read(t, filepath.Join(dir, "calls"))
	if !strings.Contains(text, "scancel 2\nscancel -M a 1 3\n") {
		t.Errorf("calls are\n%s", text)
	}
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
	if _, err := client.ask(t.Context(), "", "squeue"); err == nil {
		t.Error("a controller that hangs has answered")
	}
	testkit.Equal(t, <-told, "squeue has no answer from slurm's controller yet; it gets 200ms", "told")
}

func TestUpdated(t *testing.T) {
	if !updated("38_0-1: Job has already finished\n38_2: Job is no longer pending execution\n38_3-5: No error\n") {
		t.Error("an array of which some tasks have ended can't be throttled")
	}
	for _, said := range []string{"", "Invalid job id specified for job 9\n", "38_0: No error\n38_1: Access/permission denied\n"} {
		if updated(said) {
			t.Errorf("%q is taken for success", said)
		}
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
	if Unknown.Terminal() || Unknown.Active() {
		t.Error("an unknown state says something")
	}
	if Completed.Active() || !Completed.Terminal() {
		t.Error("a completed job is not just completed")
	}
	if !Requeued.Active() || !Preempted.Terminal() || !SpecialExit.Active() {
		t.Error("a job that runs again is not active, or one that does not is")
	}
}
