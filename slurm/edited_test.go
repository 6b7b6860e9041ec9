package slurm_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spmvtune/configs"
	"spmvtune/internal/testing/slurmlab"
	"spmvtune/slurm"
)

// What a run measures can't be edited, in the sweep or in its own kernels. How its jobs are sent can.
func TestEditedSweep(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) { slurmlab.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o777)) }
	const text = `# A sweep.
[protocol]
warmup = 3
[[matrix]]
generate = "mycielskian"
order = 4
[[kernel]]
name = "mine"
source = "my.c"
[slurm]
time = "00:10:00"
`
	put("my.c", "as submitted\n")
	put("program", "")
	put("s.toml", text)
	sweep, err := configs.Load(filepath.Join(dir, "s.toml"))
	slurmlab.Must(t, err)
	run, err := slurm.Create(filepath.Join(dir, "runs"), sweep, slurm.Plan{}, filepath.Join(dir, "program"), "1")
	slurmlab.Must(t, err)
	run, err = slurm.Open(run.Dir)
	slurmlab.Must(t, err)
	kernels, err := run.Read("kernels.json")
	slurmlab.Must(t, err)

	for name, c := range map[string]struct {
		file, old, new string
		refused        bool
	}{
		"nothing":      {"sweep.toml", "", "", false},
		"slurm":        {"sweep.toml", `time = "00:10:00"`, "time = \"01:00:00\"\nmem = \"4G\"", false},
		"comment":      {"sweep.toml", "# A sweep.", "# The same sweep.\n", false},
		"protocol":     {"sweep.toml", "warmup = 3", "warmup = 4", true},
		"matrix":       {"sweep.toml", "order = 4", "order = 5", true},
		"another key":  {"sweep.toml", "warmup = 3", "warmup = 3\nseed = 2", true},
		"not a sweep":  {"sweep.toml", "[slurm]", "[slurm", true},
		"kernel":       {"kernels.json", "as submitted", "as edited", true},
		"same kernels": {"kernels.json", "", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			was := map[string]string{"sweep.toml": text, "kernels.json": string(kernels)}[c.file]
			slurmlab.Must(t, os.WriteFile(run.Path(c.file), []byte(strings.Replace(was, c.old, c.new, 1)), 0o666))
			_, task := run.TaskSweep()
			for _, err := range []error{run.CheckSweep(), task} {
				if (err != nil) != c.refused || err != nil && !strings.Contains(err.Error(), c.file+" was edited after") {
					t.Errorf("error %v", err)
				}
			}
			slurmlab.Must(t, os.WriteFile(run.Path(c.file), []byte(was), 0o666))
		})
	}
}
