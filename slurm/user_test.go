package slurm

import "testing"

// Who may not write to a run is told whether anybody may.
func TestReadOnlyError(t *testing.T) {
	for _, c := range []struct {
		err  ReadOnlyError
		want string
	}{
		{ReadOnlyError{Path: "r", Owner: Me()}, "r can only be read"},
		{ReadOnlyError{Path: "r", Owner: "x" + Me()}, "r can only be read by you: x" + Me() + " made the run"},
		{ReadOnlyError{Path: "r", Owner: "x" + Me(), Mounted: true}, "r can only be read: its file system is mounted read-only"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.err, got, c.want)
		}
	}
}
