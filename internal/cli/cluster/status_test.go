package cluster

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"spmvtune/internal/cli/command"
	"spmvtune/internal/testing/slurmlab"
	"spmvtune/internal/testing/slurmtest"
	"spmvtune/slurm/status"
	"spmvtune/tuner"
	"spmvtune/tuner/trial"
)

// That a run is being merged is said only where Slurm says so.
func TestWhatIsKnownOfAMerge(t *testing.T) {
	for finish, want := range map[status.State]string{
		status.Running: "is being merged",
		status.Waiting: "waits to be merged",
		status.Unclear: "complete; whether it is being merged is not known",
		status.Ended:   "complete, but not merged",
	} {
		s := status.Status{Finish: finish, Counts: status.Counts{Done: 2, All: 2}}
		if got := inAWord(s); got != want {
			t.Errorf("%s: %q, want %q", finish, got, want)
		}
	}
}

// A hook calls f at the first write.
type hook struct {
	bytes.Buffer
	f func()
}

func (h *hook) Write(p []byte) (int, error) {
	if h.f != nil {
		h.f()
		h.f = nil
	}
	return h.Buffer.Write(p)
}

// What is missing is what the merge did not find, even if the plan has changed by the time
// the reasons are asked for.
func TestMergeWhilePlanChanges(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // no Slurm
	run := slurmtest.NewRun(t, 1)
	slurmlab.Must(t, os.WriteFile(run.Path("ledger.jsonl"), nil, 0o666))
	slurmtest.Write(t, run, 0, "7_0", 0, 1)
	split := func() {
		halves := `{"chunks": [{"id": "0001", "pieces": [{"matrix": "m1", "index": 0, "of": 1}]},
			{"id": "0001.1", "pieces": [{"matrix": "m1", "index": 0, "of": 2}]},
			{"id": "0001.2", "pieces": [{"matrix": "m1", "index": 1, "of": 2}]}]}`
		if err := os.WriteFile(run.Path("plan.json"), []byte(halves), 0o666); err != nil {
			t.Error(err)
		}
	}
	var out bytes.Buffer
	c := mergeCommand{runCommand: runCommand{run: run, w: &hook{f: split}}, json: &out}
	c.output.Format = "json"
	err := c.merge(t.Context())
	var exit *command.Error
	if !errors.As(err, &exit) || exit.Code != command.ExitSomeFailed || !strings.Contains(err.Error(), "1 chunk not complete") {
		t.Errorf("the merge ends with %v", err)
	}
	if !strings.Contains(out.String(), `"chunk": "0001"`) {
		t.Errorf("its JSON is\n%s", out.String())
	}
}

// The log of a long task has some dozens of lines, however many matrices and trials
// it has.
func TestTaskLogIsShort(t *testing.T) {
	for _, matrices := range []int{1, 20, 1000} {
		var out strings.Builder
		l := &progressLog{log: &taskLog{w: &out}}
		l.Observe(tuner.Event{Started: &tuner.Started{Device: "chip", Matrices: matrices}})
		for m := range matrices {
			l.Observe(tuner.Event{Matrix: &tuner.MatrixPlanned{Index: m, Trials: 500}})
			for range 500 {
				l.said = l.said.Add(-24 * time.Hour / time.Duration(500*matrices)) // as if a day passed
				l.Observe(tuner.Event{Result: &trial.Result{}})
			}
		}
		if n := strings.Count(out.String(), "\n"); n < 11 || n > 90 || !strings.Contains(out.String(), " 100%: ") {
			t.Errorf("%d matrices: %d lines\n%s", matrices, n, out.String())
		}
	}
}

// The log of a task counts a matrix that a lost GPU leaves to another one once.
func TestTaskLogCountsAMatrixOnce(t *testing.T) {
	var out strings.Builder
	l := &progressLog{log: &taskLog{w: &out}}
	l.Observe(tuner.Event{Started: &tuner.Started{Device: "chip", Devices: 2, Matrices: 1}})
	for _, again := range []bool{false, true} {
		l.Observe(tuner.Event{Matrix: &tuner.MatrixPlanned{Trials: 10, Again: again}})
		for range 5 {
			l.Observe(tuner.Event{Result: &trial.Result{}})
		}
	}
	if !strings.Contains(out.String(), " 100%: 10 trials measured, 10 of 10 done") {
		t.Errorf("the log is\n%s", out.String())
	}
}

// The log of a task says what a run on one machine says while it goes on.
func TestTaskLogHasNotes(t *testing.T) {
	var out strings.Builder
	l := &progressLog{log: &taskLog{w: &out}}
	for want, e := range map[string]tuner.Event{
		"note: the bandwidth of the memory is not known, and results are not compared with it: too slow": {
			Roofless: errors.New("too slow")},
		"note: mine does not compile. 2 configurations are invalid": {
			Unbuilt: &tuner.Unbuilt{Kernel: "mine", Reason: "does not compile", Configs: 2}},
		"note: the processor is busy": {Crowded: &tuner.Crowded{}},
	} {
		if l.Observe(e); !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, out.String())
		}
	}
}
