package cluster_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spmvtune/configs"
	"spmvtune/internal/cli/command"
	"spmvtune/slurm"
	"spmvtune/tuner/trial"
)

// A file that is replaced between two tasks is not measured half as the one and half as
// the other.
func TestTaskWithAChangedFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "c.mtx")
	write := func(value string) {
		t.Helper()
		text := "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 " + value + "\n"
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("2")
	text := "[[matrix]]\npath = \"c.mtx\"\n[[kernel]]\nname = \"cpu_csr\"\ngrid = [1, 2]\nprecision = [\"float64\"]\n"
	sweep, err := configs.Parse(filepath.Join(dir, "files.toml"), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	half := func(i int) []trial.Piece {
		return []trial.Piece{{Matrix: "c", Part: trial.Part{Index: i, Of: 2}}}
	}
	run, err := slurm.Create(t.TempDir(), sweep, slurm.Plan{Chunks: []slurm.Chunk{{ID: "0001", Pieces: half(0)}, {ID: "0002", Pieces: half(1)}}}, program, "test")
	if err != nil {
		t.Fatal(err)
	}
	// Both tasks are attempts of one array at a chunk each.
	task := func(index, attempt string) (code int, out string) {
		t.Helper()
		cmd := startTask(t, run, "SLURM_ARRAY_TASK_ID="+index, "SLURM_RESTART_COUNT="+attempt)
		if err := os.WriteFile(run.Path("rounds", "001.json"), []byte(`["0001", "0002"]`), 0o666); err != nil {
			t.Fatal(err)
		}
		text, err := cmd.CombinedOutput()
		return ended(t, err), string(text)
	}
	if code, out := task("0", "0"); code != command.ExitOK {
		t.Fatalf("the first task: exit code %d\n%s", code, out)
	}
	write("3")
	code, out := task("1", "1")
	if code != command.ExitFailed || !strings.Contains(out, "c.mtx has changed during the run") {
		t.Errorf("the second task: exit code %d\n%s", code, out)
	}
	trials, ends := taskJournals(t, run)
	if len(trials[1]) != 0 || len(ends[1]) != 1 || ends[1][0].Pieces[0].Complete || !strings.Contains(ends[1][0].Pieces[0].Reason, "has changed") {
		t.Errorf("%d trials, ends %+v", len(trials[1]), ends[1])
	}
	write("2")
	if code, out := task("1", "2"); code != command.ExitOK {
		t.Errorf("the file put back: exit code %d\n%s", code, out)
	}
}
