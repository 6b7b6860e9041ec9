package slurm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"spmvtune/configs"
	"spmvtune/tuner/trial"
)

// fakeSlurm puts shell scripts called as Slurm's commands before all others, and
// returns their folder, which they know as $FAKE. Each notes that it was called.
func fakeSlurm(t *testing.T, commands map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, body := range commands {
		text := "#!/bin/bash\necho \"" + name + " $*\" >> \"$FAKE/calls\"\n" + body + "\n"
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o777))
	}
	t.Setenv("FAKE", dir)
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return dir
}

// calls counts how often a fake command was called.
func calls(t *testing.T, dir, name string) int {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "calls"))
	must(t, err)
	return strings.Count("\n"+string(data), "\n"+name+" ")
}

// fakeConfig is a cluster with arrays of two tasks.
const fakeConfig = `case "$*" in
*config*) echo "MaxArraySize = 2" ;;
*partition*) echo "PartitionName=debug Default=YES DefaultTime=NONE MaxTime=01:00:00" ;;
esac`

// hasty is a client that does not wait for long.
var hasty = &Client{Timeout: time.Second, Pause: 10 * time.Millisecond, Patience: 5 * time.Second}

// smallSweep is a sweep for runs of which only the jobs matter.
func smallSweep(s configs.Slurm) *configs.Sweep {
	return &configs.Sweep{Name: "small", Path: "small.toml", Text: []byte("name = \"small\"\n"), Slurm: s}
}

// created is a run in a folder below root, whose tasks run a script instead of this
// program.
func created(t *testing.T, root string, s configs.Slurm, chunks int, script string) *Run {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	must(t, os.WriteFile(program, []byte("#!/bin/bash\n"+script+"\n"), 0o777))
	var plan Plan
	for i := range chunks {
		plan.Chunks = append(plan.Chunks, Chunk{ID: chunkID(i), Pieces: []Piece{{matrixName(i), trial.Whole}}, Trials: 1})
	}
	run, err := Create(root, smallSweep(s), plan, program, "test")
	must(t, err)
	return run
}

// chunkIDs are the ids of the first n chunks.
func chunkIDs(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = chunkID(i)
	}
	return ids
}
