package submit

import "testing"

// The cores of tasks of all kinds are named, each number once, and whether one is only assumed.
func TestTaskCores(t *testing.T) {
	for _, c := range []struct {
		match Match
		want  string
	}{
		{Match{cores: []int{4}}, "4: cpus in [slurm] says how many"},
		{Match{cores: []int{8, 2, 8}}, "2 or 8: cpus in [slurm] says how many"},
		{Match{cores: []int{1, 8}, assumed: true}, "1 or 8: cpus in [slurm] says how many, and 1 is assumed without it"},
	} {
		if got := c.match.taskCores(); got != c.want {
			t.Errorf("tasks have %v cores: %q, want %q", c.match.cores, got, c.want)
		}
	}
}
