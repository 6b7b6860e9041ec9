package cluster

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"spmvtune/internal/cli/command"
	"spmvtune/internal/testing/slurmtest"
	"spmvtune/internal/testing/testkit"
	"spmvtune/slurm/status"
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
		testkit.Equal(t, inAWord(s), want, "%s", finish)
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
	slurmtest.Write(t, run, 0, "7_0", 0, 1)
	split := func() {
		halves := `{"chunks": [{"id": "0001", "pieces": [{"matrix": "m1", "index": 0, "of": 1}]},
			{"id": "0001.1", "pieces": [{"matrix": "m1", "index": 0, "of": 2}]},
			{"id": "0001.2", "pieces": [{"matrix": "m1", "index": 1, "of": 2}]}]}`
		testkit.Succeed(t, os.WriteFile(run.Path("plan.json"), []byte(halves), 0o666))
	}
	var out bytes.Buffer
	c := mergeCommand{runCommand: runCommand{run: run, w: &hook{f: split}}, json: &out}
	c.output.Format = "json"
	err := c.merge(t.Context())
	var exit *command.Error
	testkit.Check(t, errors.As(err, &exit) && exit.Code == command.ExitSomeFailed &&
		strings.Contains(err.Error(), "1 chunk not complete"), "the merge ends with %v", err)
	testkit.Check(t, strings.Contains(out.String(), `"chunk": "0001"`), "its JSON is\n%s", out.String())
}
