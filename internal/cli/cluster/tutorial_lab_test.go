package cluster_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"spmvtune/internal/testing/long"
	"spmvtune/internal/testing/slurmlab"
	"spmvtune/sparse/cache"
)

// onCluster begins the part of the tutorial that needs a Slurm.
const onCluster = "\n## 6. Send it to a cluster\n"

// The commands of the tutorial lead from an empty folder to a rule that was learned on a cluster. The
// program is that of the tests, which measures no bandwidth.
func TestTutorial(t *testing.T) {
	long.Test(t, "it measures two sweeps and starts a Slurm")
	text, err := os.ReadFile("../../../docs/tutorial.md")
	if err != nil {
		t.Fatal(err)
	}
	here, there, ok := strings.Cut(string(text), onCluster)
	if !ok {
		t.Fatalf("the tutorial lacks the heading%s", onCluster)
	}
	local, remote := shellBlocks(here), shellBlocks(there)
	if len(local) < 5 || len(remote) < 3 {
		t.Fatalf("the tutorial has %d blocks here and %d on the cluster", len(local), len(remote))
	}

	home := t.TempDir()
	follow := func(t *testing.T, folder string, env, blocks []string) (said string) {
		t.Helper()
		for _, block := range blocks {
			cmd := exec.Command("bash", "-euo", "pipefail", "-c", block)
			cmd.Dir = folder
			cmd.Env = append(env, cache.Env+"="+filepath.Join(home, "cache"))
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s\n%s", err, block, out)
			}
			said += string(out)
		}
		return said
	}

	folder := filepath.Join(home, "tuning")
	follow(t, home, os.Environ(), local[:1])
	said := follow(t, folder, os.Environ(), local[1:])
	for _, want := range []string{"trials measured: ", "uniform", "cpu_sell", "gflops"} {
		if !strings.Contains(said, want) {
			t.Errorf("the part before the cluster does not say %q:\n%s", want, said)
		}
	}

	t.Run("cluster", func(t *testing.T) {
		lab := slurmlab.Start(t, slurmlab.Options{})
		said := follow(t, folder, lab.Env(), remote)
		for _, want := range []string{"sbatch", "complete", "learned from"} {
			if !strings.Contains(said, want) {
				t.Errorf("the part on the cluster does not say %q:\n%s", want, said)
			}
		}
		for _, name := range []string{"choose.h", "runs/second-*/report.html", "runs/second-*/results.db"} {
			if found, err := filepath.Glob(filepath.Join(folder, name)); len(found) != 1 {
				t.Errorf("%s is not there: %v, %v", name, found, err)
			}
		}
	})
}

// shellBlocks are the blocks of a page that a shell is given.
func shellBlocks(page string) (blocks []string) {
	for {
		_, rest, ok := strings.Cut(page, "\n```sh\n")
		if !ok {
			return blocks
		}
		block, after, _ := strings.Cut(rest, "\n```\n")
		blocks, page = append(blocks, block), after
	}
}
