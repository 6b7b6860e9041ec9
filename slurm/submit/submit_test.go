package submit

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spmvtune/configs"
	"spmvtune/internal/base/term"
	"spmvtune/internal/testing/slurmlab"
	"spmvtune/internal/testing/slurmtest"
	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
)

func TestSubmit(t *testing.T) {
	dir := slurmlab.Fake(t, map[string]string{
		"scontrol": slurmlab.FakeConfig, "squeue": slurmlab.FakeSqueue,
		"sbatch": slurmlab.FakeSbatch + `; printf '%s\n' "$@" > "$FAKE/$name"; cp "` + "$FAKE" + `/../latest/ledger.jsonl" "$FAKE/$name.before"; echo $id`,
	})
	s := configs.Slurm{Partition: "debug", Time: "01:00:00", Gres: "gpu:a30:1", Signal: "USR1@120", Exclusive: true, Throttle: 3, Extra: []string{"--nice=5", "--gpus-per-node=1"}}
	run := slurmtest.Created(t, t.TempDir(), s, 5, "exit 0")
	slurmlab.Must(t, os.Symlink(run.Dir, filepath.Join(dir, "..", "latest")))
	round, err := Next(t.Context(), slurmtest.Hasty, run, s, slurmtest.Chunks(t, run, 5))
	slurmlab.Must(t, err)
	if len(round.Jobs) != 4 || round.Jobs[2].Base != 4 || round.Jobs[2].Tasks != 1 || !round.Jobs[3].Finish() {
		t.Fatalf("round %+v", round)
	}
	for i, want := range [][]string{
		{"--array=0-1%3", "--gres=gpu:a30:1", "--gpus-per-node=1", "--exclusive", "--nice=5", "--signal=B:USR1@120", "--requeue", "--time=01:00:00", "0"},
		{"--array=0-1%3", "--dependency=afterany:101", "2"},
		{"--array=0-0%3", "--dependency=afterany:102", "4"},
		{"--dependency=afterany:101:102:103", "--partition=debug", "--nice=5", "--requeue", "1"},
	} {
		data, err := os.ReadFile(filepath.Join(dir, round.Jobs[i].Name))
		slurmlab.Must(t, err)
		args := strings.Split(strings.TrimSpace(string(data)), "\n")
		for _, w := range want {
			if !slices.Contains(args, w) {
				t.Errorf("job %d is submitted without %s: %q", i, w, args)
			}
		}
		if forGPU := slices.ContainsFunc(args, forTask); forGPU != (i < 3) {
			t.Errorf("job %d asks for a GPU: %v", i, forGPU)
		}
		before, err := os.ReadFile(filepath.Join(dir, round.Jobs[i].Name+".before"))
		slurmlab.Must(t, err)
		if n := strings.Count(string(before), "\n"); n != 2*i+1 {
			t.Errorf("when job %d was submitted, %d lines were on disk", i, n)
		}
	}
	jobs := slurmtest.Jobs(t, run)
	for i, j := range jobs {
		if j.Outcome != slurm.Submitted || j.JobID != round.Jobs[i].JobID || j.Batch != round.Jobs[i].Batch {
			t.Errorf("job %d is recorded as %+v, and was %+v", i, j, round.Jobs[i])
		}
	}
	var ids []string
	data, err := os.ReadFile(run.Path("rounds", "001.json"))
	slurmlab.Must(t, err)
	if slurmlab.Must(t, json.Unmarshal(data, &ids)); !slices.Equal(ids, slurmtest.ChunkIDs(5)) {
		t.Errorf("the round is %v", ids)
	}

	again, err := Next(t.Context(), slurmtest.Hasty, run, s, slurmtest.Chunks(t, run, 1))
	slurmlab.Must(t, err)
	if again.Number != 2 || again.Jobs[0].Name == round.Jobs[0].Name {
		t.Errorf("a second round is %+v", again)
	}
	// All of the first round is still there, so the second merge is after it, too.
	data, err = os.ReadFile(filepath.Join(dir, again.Jobs[1].Name))
	slurmlab.Must(t, err)
	if want := "--dependency=afterany:105:101:102:103\n"; !strings.Contains(string(data), want) {
		t.Errorf("the second merge is submitted without %s: %s", want, data)
	}
}

// In each case the controller does not answer sbatch, and the job is taken in once or
// never.
func TestRefusalInTheMiddle(t *testing.T) {
	slurmlab.Fake(t, map[string]string{"scontrol": slurmlab.FakeConfig, "squeue": slurmlab.FakeSqueue,
		"sbatch": `[ $(grep -c ^sbatch "$FAKE/calls") -le 2 ] || { echo "sbatch: error: Invalid account" >&2; exit 1; }; ` + slurmlab.FakeSbatch + `; echo "$id;alpha"`})
	run := slurmtest.Created(t, t.TempDir(), configs.Slurm{}, 6, "exit 0")
	round, err := Next(t.Context(), slurmtest.Hasty, run, configs.Slurm{}, slurmtest.Chunks(t, run, 6))
	var part *IncompleteError
	if !errors.As(err, &part) || part.Sent != 2 || part.All != 4 || len(round.Jobs) != 2 {
		t.Fatalf("error %v, round %+v", err, round)
	}
	for _, want := range []string{"Invalid account", "spmvtune retry " + term.Shell(run.Dir), "spmvtune cancel " + term.Shell(run.Dir)} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q: %v", want, err)
		}
	}
	jobs := slurmtest.Jobs(t, run)
	if len(jobs) != 3 || jobs[1].JobID != (sbatch.JobID{ID: "102", Cluster: "alpha"}) || jobs[2].Outcome != slurm.Refused || jobs[2].ID != "" {
		t.Errorf("jobs %+v", jobs)
	}
}

func TestWhatCouldNeverStartIsRefused(t *testing.T) {
	dir := slurmlab.Fake(t, map[string]string{"scontrol": slurmlab.FakeConfig, "squeue": slurmlab.FakeSqueue, "sbatch": slurmlab.FakeSbatch + "; echo $id"})
	s := configs.Slurm{Time: "01:00:01"}
	run := slurmtest.Created(t, t.TempDir(), s, 1, "exit 0")
	if _, err := Next(t.Context(), slurmtest.Hasty, run, s, slurmtest.Chunks(t, run, 1)); err == nil || !strings.Contains(err.Error(), "partition debug, which is 01:00:00") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "queue")); err == nil {
		t.Error("it was submitted")
	}
	s.Arrays = []configs.Array{{"qos": "long"}} // may allow more than the partition
	_, err := Next(t.Context(), slurmtest.Hasty, run, s, slurmtest.Chunks(t, run, 1))
	slurmlab.Must(t, err)
}

func TestPreviewWritesNothing(t *testing.T) {
	root := filepath.Join(t.TempDir(), "runs")
	s := configs.Slurm{Throttle: 1, Setup: []string{"module load CUDA"}}
	run, err := slurm.New(root, slurmtest.SmallSweep(s), "test")
	slurmlab.Must(t, err)
	p := PreviewOf(run, s, slurm.Plan{Chunks: make([]slurm.Chunk, 5)}, 3)
	if len(p.Commands) != 3 || len(p.Scripts) != 2 {
		t.Fatalf("preview %+v", p)
	}
	last := p.Commands[2]
	if last[0] != "sbatch" || last[len(last)-1] != "1" || last[len(last)-2] != run.Path(slurm.FinishScript) || last[len(last)-3] != "--dependency=afterany:JOB1:JOB2" {
		t.Errorf("the last command is %q", last)
	}
	if _, err := os.Stat(root); err == nil {
		t.Error("a folder was made")
	}
}
