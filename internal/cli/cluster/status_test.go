package cluster

import (
	"testing"

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
		if got := inAWord(s); got != want {
			t.Errorf("%s: %q, want %q", finish, got, want)
		}
	}
}
