package cluster_test

import (
	"encoding/json"
	"strings"
	"testing"

	"spmvtune/internal/testing/slurmlab"
	"spmvtune/slurm"
)

// Within an allocation srun starts processes that measure a prepared run, several on a node, as the documentation
// has it: each trial is measured once, and all have the same number of processors.
func TestTaskUnderSrun(t *testing.T) {
	c := newCluster(t, slurmlab.Options{})
	for _, launch := range []string{
		"salloc --quiet --nodes=1 --ntasks=2 --cpus-per-task=1 srun RUN/bin/spmvtune task RUN --next",
		"salloc --quiet --ntasks=2 --gres=gpu:a30:2 srun --gpus-per-task=1 RUN/bin/spmvtune task RUN --next",
	} {
		t.Run(launch, func(t *testing.T) {
			path := c.sweep(`time = "00:05:00"`)
			var s struct{ Dir string }
			out := c.do(0, "submit", path, "--prepare-only", "--chunk", "3s", "--json")
			if err := json.Unmarshal([]byte(out), &s); err != nil {
				t.Fatal(err)
			}
			said, err := c.Command("bash", "-c", strings.ReplaceAll(launch, "RUN", s.Dir)).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			run, err := slurm.Open(s.Dir)
			if err != nil {
				t.Fatal(err)
			}
			times := prepared{t: t, run: run}.times()
			for id, n := range times {
				if n != 1 {
					t.Errorf("trial %s was measured %d times", id, n)
				}
			}
			if len(times) != taskTrials {
				t.Errorf("%d trials were measured:\n%s", len(times), said)
			}
			c.do(0, "merge", s.Dir)
			if d, err := run.PinnedDevices(0); err != nil || d.Cores != 1 {
				t.Errorf("of two processors, two processes measure on %+v each, %v", d, err)
			}
			claims, err := run.Claims()
			if err != nil || len(claims) < 2 || claims["0001"].PID == claims["0002"].PID {
				t.Errorf("one process measured all chunks: %+v, %v", claims, err)
			}
		})
	}
}
