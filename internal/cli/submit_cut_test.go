package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spmvtune/configs"
	"spmvtune/slurm/sbatch"
)

// What submit would refuse, --dry-run says, and nothing else about a cluster that has
// answered.
func TestDryRunSaysWhatIsRefused(t *testing.T) {
	dir := t.TempDir()
	fake := `#!/bin/bash
case "$*" in
*config*) echo "MaxArraySize = 50" ;;
*partition*) echo "PartitionName=debug Default=YES DefaultTime=NONE MaxTime=01:00:00" ;;
esac
`
	if err := os.WriteFile(filepath.Join(dir, "scontrol"), []byte(fake), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	for section, want := range map[string]string{
		"time = \"30\"":                    "",
		"time = \"2:00:00\"":               "submit would refuse this: time = \"2:00:00\" is above the limit of partition debug",
		"partition = \"x\"":                "submit would refuse this: the cluster has no partition x (it has debug)",
		"time = \"30\"\npartition = \"x\"": "submit would refuse this: the cluster has no partition x (it has debug)",
	} {
		sweep, err := configs.Parse(filepath.Join(dir, "small.toml"), []byte(taskSweep+"[slurm]\n"+section+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		cut, err := cutSweep(t.Context(), t.Output(), &sbatch.Client{}, sweep, submitFlags{dry: true})
		if err != nil {
			t.Fatal(err)
		}
		notes := strings.Join(cut.notes, "\n")
		if !strings.HasPrefix(notes, want) || want == "" && notes != "" || cut.most != 50 || len(cut.notes) > 1 {
			t.Errorf("%s: arrays of %d, notes %q", section, cut.most, notes)
		}
	}
}
