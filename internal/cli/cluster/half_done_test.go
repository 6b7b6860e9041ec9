package cluster_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spmvtune/internal/testing/slurmlab"
)

// A command that Slurm stops answering says what it has done, and what failed.
func TestHalfDone(t *testing.T) {
	const breaks = "#!/bin/bash\ntouch \"$FAKE/broken\"\n"
	const broken = "[ ! -e \"$FAKE/broken\" ] || { echo 'squeue: error: Invalid request' >&2; exit 1; }\n"
	for _, c := range []struct {
		args          []string
		program, want string
	}{
		{[]string{"cancel"}, "scancel", "cancelled: "},
		{[]string{"throttle", "2"}, "scontrol", "at most 2 tasks run at once"},
	} {
		f := newFaulty(t, 1)
		p := prepared{t: t, run: f.run}
		slurmlab.Must(t, os.WriteFile(filepath.Join(f.slurm.dir, c.program), []byte(breaks), 0o777))
		f.slurm.write("squeue", "#!/bin/bash\n"+broken+simulated["squeue"])
		out := p.do(1, append([]string{c.args[0], f.run.Dir}, c.args[1:]...)...)
		if !strings.Contains(out, c.want) || !strings.Contains(out, "Invalid request") {
			t.Errorf("%s says:\n%s", c.args[0], out)
		}
	}
}
