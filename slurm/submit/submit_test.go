// SPDX-License-Identifier: Apache-2.0

package submit

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/testing/slurmlab"
	"example.org/spmvtune/internal/testing/slurmtest"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/slurm/sbatch"
)

func TestSubmit(t *testing.T) {
	dir := slurmlab.Fake(t, map[string]string{
		"scontrol": slurmlab.FakeConfig, "squeue": slurmlab.FakeSqueue,
		"sbatch": slurmlab.FakeSbatch + `; printf '%s\n' "$@" > "$FAKE/$name"; cp "` + "$FAKE" + `/../latest/ledger.jsonl" "$FAKE/$name.before"; echo $id`,
	})
	s := configs.Slurm{Partition: "debug", Time: "01:00:00", Gres: "gpu:a30:1", Signal: "USR1@120", Exclusive: true, Throttle: 3, Extra: []string{"--nice=5", "--gpus-per-node=1"}}
	run := slurmtest.Created(t, t.TempDir(), s, 5, "exit 0")
	testkit.Succeed(t, os.Symlink(run.Dir, filepath.Join(dir, "..", "latest")))
	round := sentNext(t, run, s, slurmtest.Chunks(t, run, 5))
	testkit.Require(t, len(round.Jobs) == 4 && round.Jobs[2].Base == 4 && round.Jobs[2].Tasks == 1 &&
		round.Jobs[3].Finish(), "round %+v", round)
	for i, want := range [][]string{
		{"--array=0-1%3", "--gres=gpu:a30:1", "--gpus-per-node=1", "--exclusive", "--nice=5", "--signal=B:USR1@120", "--requeue", "--time=01:00:00", "0"},
		{"--array=0-1%3", "--dependency=afterany:101", "2"},
		{"--array=0-0%3", "--dependency=afterany:102", "4"},
		{"--dependency=afterany:101:102:103", "--partition=debug", "--nice=5", "--requeue", "1"},
	} {
		data := slurmlab.Read(t, filepath.Join(dir, round.Jobs[i].Name))
		args := strings.Split(strings.TrimSpace(data), "\n")
		for _, w := range want {
			testkit.Check(t, slices.Contains(args, w), "job %d is submitted without %s: %q", i, w, args)
		}
		testkit.Equal(t, slices.ContainsFunc(args, forTask), (i < 3), "job %d asks for a GPU", i)
		before := slurmlab.Read(t, filepath.Join(dir, round.Jobs[i].Name+".before"))
		testkit.Equal(t, strings.Count(before, "\n"), 2*i+1, "when job %d was submitted: lines were on disk", i)
	}
	jobs := slurmtest.Jobs(t, run)
	for i, j := range jobs {
		testkit.Check(t, j.Outcome == slurm.Submitted && j.JobID == round.Jobs[i].JobID && j.Batch == round.Jobs[i].Batch,
			"job %d is recorded as %+v, and was %+v", i, j, round.Jobs[i])
	}
	var ids []string
	data := slurmlab.Read(t, run.Path("rounds", "001.json"))
	testkit.Succeed(t, json.Unmarshal([]byte(data), &ids))
	testkit.EqualLists(t, ids, slurmtest.ChunkIDs(5), "the round")

	again := sentNext(t, run, s, slurmtest.Chunks(t, run, 1))
	testkit.Check(t, again.Number == 2 && again.Jobs[0].Name != round.Jobs[0].Name, "a second round is %+v", again)
	// All of the first round is still there, so the second merge is after it, too.
	data = slurmlab.Read(t, filepath.Join(dir, again.Jobs[1].Name))
	if want := "--dependency=afterany:105:101:102:103\n"; !strings.Contains(data, want) {
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
	testkit.Require(t, errors.As(err, &part) && part.Sent == 2 && part.All == 4 && len(round.Jobs) == 2,
		"error %v, round %+v", err, round)
	testkit.Says(t, "the error", err.Error(), "Invalid account", "spmvtune retry "+term.Shell(run.Dir), "spmvtune cancel "+term.Shell(run.Dir))
	jobs := slurmtest.Jobs(t, run)
	testkit.Check(t, len(jobs) == 3 && jobs[1].JobID == (sbatch.JobID{ID: "102", Cluster: "alpha"}) &&
		jobs[2].Outcome == slurm.Refused && jobs[2].ID == "", "jobs %+v", jobs)
}

func TestWhatCouldNeverStartIsRefused(t *testing.T) {
	dir := slurmlab.Fake(t, map[string]string{"scontrol": slurmlab.FakeConfig, "squeue": slurmlab.FakeSqueue, "sbatch": slurmlab.FakeSbatch + "; echo $id"})
	s := configs.Slurm{Time: "01:00:01"}
	run := slurmtest.Created(t, t.TempDir(), s, 1, "exit 0")
	testkit.Fails(t, testkit.Err(Next(t.Context(), slurmtest.Hasty, run, s, slurmtest.Chunks(t, run, 1))), "partition debug, which is 01:00:00", "error")
	testkit.Fails(t, testkit.Err(os.Stat(filepath.Join(dir, "queue"))), "", "it was submitted")
	s.Arrays = []configs.Array{{"qos": "long"}} // may allow more than the partition
	sentNext(t, run, s, slurmtest.Chunks(t, run, 1))
}

func TestPreviewWritesNothing(t *testing.T) {
	root := filepath.Join(t.TempDir(), "runs")
	s := configs.Slurm{Throttle: 1, Setup: []string{"module load CUDA"}}
	run := testkit.Must(slurm.New(root, slurmtest.SmallSweep(s), "test"))
	p := PreviewOf(run, s, slurm.Plan{Chunks: make([]slurm.Chunk, 5)}, 3)
	testkit.Require(t, len(p.Commands) == 3 && len(p.Scripts) == 2, "preview %+v", p)
	last := p.Commands[2]
	testkit.Check(t, last[0] == "sbatch" && last[len(last)-1] == "1" &&
		last[len(last)-2] == run.Path(slurm.FinishScript) && last[len(last)-3] == "--dependency=afterany:JOB1:JOB2",
		"the last command is %q", last)
	testkit.Fails(t, testkit.Err(os.Stat(root)), "", "a folder was made")
}

// picky is a Slurm whose sbatch --test-only refuses some options.
func picky(t *testing.T, refuses string) (dir string, run *slurm.Run) {
	t.Helper()
	dir = slurmlab.Fake(t, map[string]string{"scontrol": slurmlab.FakeConfig, "sinfo": `cat "$FAKE/nodes"`})
	testkit.Succeed(t, os.WriteFile(filepath.Join(dir, "sbatch"), []byte("#!/bin/bash\n"+refuses+"\n"), 0o777))
	testkit.Succeed(t, os.WriteFile(filepath.Join(dir, "nodes"), []byte("n1 idle\nn2 mixed\nn2 mixed\n"), 0o666))
	return dir, testkit.Must(slurm.New(t.TempDir(), slurmtest.SmallSweep(configs.Slurm{}), "test"))
}

const noNode = `echo "allocation failure: Requested node configuration is not available" >&2; exit 1`

// What could never start is refused with the key to change, wherever its value comes from.
func TestCheckNamesTheKey(t *testing.T) {
	dir, run := picky(t, `case "$*" in *--mem=900G*|*gpu:v100*|*--account=gone*) `+noNode+` ;; esac`)
	for want, s := range map[string]configs.Slurm{
		`mem = "900G"`:        {Mem: "900G", Gres: "gpu:a30:1"},
		`gres = "gpu:v100:1"`: {Mem: "1G", Gres: "gpu:v100:1"},
		"SBATCH_ACCOUNT=gone": {Account: "gone", Environment: map[string]string{"SBATCH_ACCOUNT": "gone"},
			Finish: configs.Finish{Time: "5", Mem: "1G"}},
		"as [slurm] asks": {Mem: "900G", Gres: "gpu:v100:1"},
	} {
		_, err := Check(t.Context(), slurmtest.Hasty, run, s, slurm.Plan{}, unknown)
		testkit.Check(t, err != nil && strings.Contains(err.Error(), want) && strings.Contains(err.Error(), "Requested node"),
			"%+v: error %v", s, err)
	}

	// Nodes that are down may be the reason, too.
	testkit.Succeed(t, os.WriteFile(filepath.Join(dir, "nodes"), []byte("n1 idle\nn2 down*\n"), 0o666))
	checked := testkit.Must(Check(t.Context(), slurmtest.Hasty, run, configs.Slurm{Mem: "900G"}, slurm.Plan{}, unknown))
	testkit.Check(t, len(checked.Notes) == 1 && strings.Contains(checked.Notes[0], "n2 (down)"),
		"with a node down: %+v", checked)
}

// A partition may take no job without a GPU. The job that merges then has one, unless the sweep says
// what it asks for.
func TestFinishOnPartitionOfGPUs(t *testing.T) {
	_, run := picky(t, `case "$*" in *--gpus=*|*--gres=gpu:*) ;; *) `+noNode+` ;; esac`)
	s := configs.Slurm{Partition: "debug", GPUs: "a30:1"}
	checked := testkit.Must(Check(t.Context(), slurmtest.Hasty, run, s,
		slurm.Plan{Chunks: []slurm.Chunk{{ID: "0001", Trials: 5_000_000}}}, unknown))
	testkit.Check(t, checked.Slurm.Finish.Gres == "gpu:a30:1" && len(checked.Notes) == 1 &&
		checked.Slurm.Finish.Time == "01:00:00", "the job that merges asks for %+v", checked.Slurm.Finish)
	s.Finish.Gres = "none"
	testkit.Fails(t, testkit.Err(Check(t.Context(), slurmtest.Hasty, run, s, slurm.Plan{}, unknown)), "[slurm.finish]", "without a GPU: error")
	s.Finish = configs.Finish{Off: true}
	testkit.Must(Check(t.Context(), slurmtest.Hasty, run, s, slurm.Plan{}, unknown)) // without the job
}

// Where the cluster would give a task too little memory, what it needs is asked for, unless no node
// has it or the sweep says something itself.
func TestTasksAskForTheirMemory(t *testing.T) {
	_, run := picky(t, `case "$*" in *--mem=9000M*) `+noNode+` ;; esac`)
	fake := os.Getenv("FAKE")
	config := func(lines string) {
		t.Helper()
		text := "#!/bin/bash\necho 'PartitionName=debug Default=YES MaxTime=UNLIMITED DefMemPerCPU=UNLIMITED'\necho 'MaxArraySize = 9'\n" +
			"echo '" + lines + "'\n"
		testkit.Succeed(t, os.WriteFile(filepath.Join(fake, "scontrol"), []byte(text), 0o777))
	}
	for _, tt := range []struct {
		config string
		need   int
		slurm  configs.Slurm
		mem    string
		notes  int
	}{
		{"DefMemPerCPU = 100", 800, configs.Slurm{CPUs: 4}, "800M", 1},
		{"DefMemPerCPU = 200", 800, configs.Slurm{CPUs: 4}, "", 0},
		{"DefMemPerNode = 700", 800, configs.Slurm{CPUs: 4}, "800M", 1},
		{"DefMemPerNode = UNLIMITED", 800, configs.Slurm{}, "", 0},
		{"DefMemPerCPU = 100", 9000, configs.Slurm{}, "", 1},
		{"DefMemPerCPU = 100", 800, configs.Slurm{Mem: "50M"}, "50M", 0},
		{"DefMemPerCPU = 100", 800, configs.Slurm{Extra: []string{"--mem-per-cpu=2G"}}, "", 0},
	} {
		config(tt.config)
		plan := slurm.Plan{Chunks: []slurm.Chunk{{ID: "0001", Memory: 1}, {ID: "0002", Memory: tt.need}}}
		checked := testkit.Must(Check(t.Context(), slurmtest.Hasty, run, tt.slurm, plan, unknown))
		testkit.Check(t, checked.Slurm.Mem == tt.mem && len(checked.Notes) == tt.notes,
			"%s, %d MB needed: %+v", tt.config, tt.need, checked)
	}
}

// Where the cache of the nodes is known, tasks ask for what it takes, and for less where no node has as much.
func TestTasksAskForTheirCache(t *testing.T) {
	dir, run := picky(t, `case "$*" in *--mem=1392M*) [ ! -e "$FAKE/small" ] || { `+noNode+`; } ;; esac`)
	testkit.Succeed(t, os.WriteFile(filepath.Join(dir, "scontrol"), []byte("#!/bin/bash\n"+
		"echo 'PartitionName=debug Default=YES MaxTime=UNLIMITED DefMemPerCPU=100'\necho 'MaxArraySize = 9'\n"), 0o777))
	plan := slurm.Plan{Chunks: []slurm.Chunk{{ID: "0001", Memory: 480}}}
	for _, tt := range []struct {
		cache int64
		small bool
		mem   string
	}{
		{0, false, "480M"}, {32 << 20, false, "480M"}, {260 << 20, false, "1392M"}, {260 << 20, true, "480M"},
	} {
		if tt.small {
			testkit.Succeed(t, os.WriteFile(filepath.Join(dir, "small"), nil, 0o666))
		}
		checked := testkit.Must(Check(t.Context(), slurmtest.Hasty, run, configs.Slurm{}, plan, func(int) int64 { return tt.cache }))
		testkit.Check(t, checked.Slurm.Mem == tt.mem && len(checked.Notes) == 1 &&
			strings.Contains(checked.Notes[0], "no node has as much, and 480M is asked for") == tt.small,
			"%+v: %+v", tt, checked)
	}

	// A retry knows what the first task found.
	testkit.Succeed(t, os.Remove(filepath.Join(dir, "small")))
	testkit.Succeed(t, os.MkdirAll(run.Dir, 0o777))
	testkit.Must(run.PinDevices(slurm.Task{}, configs.Slurm{}, []kernels.Device{{Backend: "cpu", Name: "chip", Cache: 260 << 20}}))
	d := decision{slurm: configs.Slurm{}, plan: plan}
	err := d.check(t.Context(), slurmtest.Hasty, run)
	testkit.Check(t, err == nil && d.slurm.Mem == "1392M", "a retry asks for %+v, %v", d.slurm, err)
}

// Each [[slurm.array]] may be in a partition of its own, and only what would get too little there asks for more.
func TestEachArrayAsksForItsMemory(t *testing.T) {
	dir, run := picky(t, "")
	testkit.Succeed(t, os.WriteFile(filepath.Join(dir, "scontrol"), []byte(`#!/bin/bash
echo 'PartitionName=big Default=YES MaxTime=UNLIMITED DefMemPerCPU=4000'
echo 'PartitionName=small MaxTime=UNLIMITED DefMemPerCPU=100'
echo 'MaxArraySize = 9'
`), 0o777))
	s := configs.Slurm{CPUs: 4, Arrays: []configs.Array{{"gres": "gpu:a30:1"}, {"partition": "small"}}}
	plan := slurm.Plan{Chunks: []slurm.Chunk{{ID: "0001", Memory: 800}, {ID: "0002", Kind: 1, Memory: 800}}}
	checked := testkit.Must(Check(t.Context(), slurmtest.Hasty, run, s, plan, unknown))
	testkit.Check(t, checked.Slurm.Of(0).Mem == "" && checked.Slurm.Of(1).Mem == "800M" && len(checked.Notes) == 1 &&
		strings.Contains(checked.Notes[0], "largest task of array 2 may need 800M"), "%+v", checked)
	_, kept := s.Arrays[1]["mem"]
	testkit.Check(t, !kept, "the sweep itself was changed")
	s.Mem = "50M"
	checked = testkit.Must(Check(t.Context(), slurmtest.Hasty, run, s, plan, unknown))
	testkit.Equal(t, checked.Slurm.Of(1).Mem, "50M", "where the sweep says how much")
}

// The cores of tasks of all kinds are named, each number once, and whether one is only assumed.
func TestTaskCores(t *testing.T) {
	for _, c := range []struct {
		match Match
		want  string
	}{
		{Match{cores: []int{4}}, "4: cpus in [slurm] says how many"},
		{Match{cores: []int{8, 2, 8}}, "2 or 8: cpus in [slurm] says how many"},
		{Match{cores: []int{1, 8}, assumed: true}, "1 or 8: cpus in [slurm] says how many, and 1 is assumed without it"},
	} {
		testkit.Equal(t, c.match.taskCores(), c.want, "tasks have %v cores", c.match.cores)
	}
}
