package cluster_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
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
	if err := os.WriteFile(filepath.Join(dir, "sbatch"), []byte("#!/bin/bash\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	for section, want := range map[string]string{
		"time = \"30\"":                    "",
		"time = \"2:00:00\"":               "submit would refuse this: time = \"2:00:00\" is above the limit of partition debug",
		"partition = \"x\"":                "submit would refuse this: the cluster has no partition x (it has debug)",
		"time = \"30\"\npartition = \"x\"": "submit would refuse this: the cluster has no partition x (it has debug)",
	} {
		path := filepath.Join(dir, "small.toml")
		if err := os.WriteFile(path, []byte(taskSweep+"[slurm]\n"+section+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("spmvtune", "submit", path, "--dry-run", "--json").Output()
		var preview struct{ Notes []string }
		if err = errors.Join(err, json.Unmarshal(out, &preview)); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		notes := strings.Join(preview.Notes, "\n")
		if !strings.HasPrefix(notes, want) || want == "" && notes != "" || len(preview.Notes) > 1 {
			t.Errorf("%s: notes %q", section, notes)
		}
	}
}
