package submit

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"spmvtune/internal/testing/slurmlab"
	"spmvtune/internal/testing/slurmtest"
	"spmvtune/slurm"
	"spmvtune/tuner/trial"
)

// Jobs of another user that Slurm does not let this user cancel, or does not show, are named with their user.
func TestCancelOfAnotherUsersRun(t *testing.T) {
	const waits = "12|0|PENDING|0:00|5:00|N/A||NAME.1.0|Priority"
	const denied = `echo "scancel: error: Kill job error on job id 12: Access/permission denied" >&2; exit 1`
	for name, c := range map[string]struct {
		user, private, queue, scancel string

		done int
		left Left
	}{
		"own":              {slurm.Me(), "jobs", waits, "", 1, Left{}},
		"own, over":        {slurm.Me(), "jobs", "", "", 0, Left{}},
		"an operator":      {"alice", "none", waits, "", 1, Left{}},
		"refused":          {"alice", "none", waits, denied, 0, Left{"alice", []string{"12"}, "Access/permission denied"}},
		"hidden":           {"alice", "jobs", "", "", 0, Left{"alice", []string{"12", "13"}, "don't see the jobs of others"}},
		"seen by all":      {"alice", "none", "", "", 0, Left{}},
		"by early version": {"", "jobs", waits, "", 1, Left{}},
	} {
		t.Run(name, func(t *testing.T) {
			commands := maps.Clone(slurmlab.FakeQueue)
			commands["scontrol"] = slurmlab.FakeConfig + `; echo "PrivateData = ` + c.private + `"`
			commands["scancel"] = c.scancel
			dir := slurmlab.Fake(t, commands)
			run := sentRun(t, c.user, slurm.Submitted)
			slurmtest.Says(t, dir, "queue", run, c.queue)
			got, err := Cancel(t.Context(), slurmtest.Hasty, run)
			if err != nil || len(got.Jobs) != c.done {
				t.Errorf("cancelled %+v, %v", got, err)
			}
			if c.left.User == "" && len(got.Left) > 0 || c.left.User != "" && (len(got.Left) != 1 ||
				got.Left[0].User != c.left.User || !slices.Equal(got.Left[0].Jobs, c.left.Jobs) ||
				!strings.Contains(got.Left[0].Why, c.left.Why)) {
				t.Errorf("left alone %+v", got.Left)
			}
		})
	}
}

// Of another user's jobs that are hidden, those are not named whose chunks are complete; and where the run has lost
// the lines about its jobs, at least the user is.
func TestHiddenJobs(t *testing.T) {
	commands := maps.Clone(slurmlab.FakeQueue)
	commands["scontrol"] = slurmlab.FakeConfig + `; echo "PrivateData = jobs"`
	dir := slurmlab.Fake(t, commands)
	run := sentRun(t, "alice", slurm.Submitted)
	slurmtest.Says(t, dir, "queue", run, "")
	for i := range 2 {
		slurmtest.End(t, slurmtest.Write(t, run, i, fmt.Sprintf("12_%d", i), 0, 1), slurmtest.MatrixName(i), trial.Part{Of: 1}, "")
	}
	left, err := Hidden(t.Context(), slurmtest.Hasty, run)
	if err != nil || len(left) != 1 || !slices.Equal(left[0].Jobs, []string{"13"}) {
		t.Errorf("of a complete run: %+v, %v", left, err)
	}

	if os.Getuid() != 0 {
		t.Skip("only root can give files to another user")
	}
	run = sentRun(t, "alice", slurm.Submitted)
	slurmtest.Says(t, dir, "queue", run, "")
	slurmlab.Must(t, os.Remove(run.Path(slurm.LedgerFile)))
	slurmlab.Must(t, os.Chown(run.Path("rounds", "001.json"), 65534, 65534))
	left, err = Hidden(t.Context(), slurmtest.Hasty, run)
	if err != nil || len(left) != 1 || len(left[0].Jobs) > 0 || left[0].User != run.RoundUser(1) {
		t.Errorf("without ledger.jsonl: %+v, %v", left, err)
	}
}
