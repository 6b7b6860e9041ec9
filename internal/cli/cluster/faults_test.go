package cluster_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"spmvtune/configs"
	"spmvtune/internal/testing/long"
	"spmvtune/internal/testing/slurmlab"
	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
	"spmvtune/slurm/submit"
	"spmvtune/tuner/trial"
)

// faultsEnv asks for a number of sequences of faults: SPMVTUNE_FAULTS=200. With a second number,
// SPMVTUNE_FAULTS=1,17, the first seed is not 1.
const faultsEnv = "SPMVTUNE_FAULTS"

// faultPlan has the trials of fewTrials in three chunks.
var faultPlan = slurm.Plan{Chunks: []slurm.Chunk{
	{ID: "0001", Trials: 5, Pieces: []trial.Piece{{Matrix: "a", Part: trial.Part{Index: 0, Of: 2}}}},
	{ID: "0002", Trials: 10, Pieces: []trial.Piece{
		{Matrix: "a", Part: trial.Part{Index: 1, Of: 2}}, {Matrix: "b", Part: trial.Part{Index: 0, Of: 2}}}},
	{ID: "0003", Trials: 5, Pieces: []trial.Piece{{Matrix: "b", Part: trial.Part{Index: 1, Of: 2}}}},
}}

// Whatever happens to a run, in whatever order: retry and merge complete it, with every planned trial once,
// and never call it complete before.
func TestFaults(t *testing.T) {
	few := 2
	if long.Asked() {
		few = 10
	}
	n, first := askedFaults(t, faultsEnv, few)
	planned := plannedTrials(t)
	drawn := map[string]int{}
	for seed := first; seed < first+n; seed++ {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) { faultSequence(t, uint64(seed), planned, drawn) })
	}
	t.Logf("%d sequences from seed %d: %v", n, first, drawn)
}

// askedFaults returns the number of sequences and the first seed that a variable asks for.
func askedFaults(t *testing.T, env string, few int) (n, first int) {
	t.Helper()
	n, first = few, 1
	if asked := os.Getenv(env); asked != "" {
		count, seed, given := strings.Cut(asked, ",")
		var err error
		n, err = strconv.Atoi(count)
		slurmlab.Must(t, err)
		if given {
			first, err = strconv.Atoi(seed)
			slurmlab.Must(t, err)
		}
	}
	return n, first
}

// A faulty run is one that a sequence of faults befalls.
type faulty struct {
	t       *testing.T
	rng     *rand.Rand
	slurm   *simulation
	run     *slurm.Run
	planned []string
}

// hasty does not wait for long for what an interrupted sbatch may still send.
var hasty = &sbatch.Client{Timeout: 2 * time.Second, Pause: 10 * time.Millisecond, Patience: time.Second}

func newFaulty(t *testing.T, seed uint64) *faulty {
	t.Helper()
	f := &faulty{t: t, rng: rand.New(rand.NewPCG(seed, 0)), slurm: simulate(t)}
	sweep, err := configs.Parse(filepath.Join(t.TempDir(), "small.toml"),
		[]byte(fewTrials+"[slurm]\nmix_devices = true\n"+[]string{"", "", "max_submit = 3\n"}[f.rng.IntN(3)]))
	slurmlab.Must(t, err)
	f.submit(sweep, nil)
	return f
}

// submit begins a run of a sweep, with what an earlier one has measured, if any is given. It returns the
// chunks that it sends.
func (f *faulty) submit(sweep *configs.Sweep, adopted *submit.Match) (sent []string) {
	f.t.Helper()
	program, err := os.Executable()
	slurmlab.Must(f.t, err)
	f.run, err = slurm.Create(f.t.TempDir(), sweep, faultPlan, program, "test")
	slurmlab.Must(f.t, err)
	f.slurm.run = f.run
	if adopted != nil {
		slurmlab.Must(f.t, adopted.Give(f.run, faultPlan))
	}
	var left []slurm.Chunk
	for _, c := range faultPlan.Chunks {
		if adopted == nil || !adopted.Complete(c) {
			left, sent = append(left, c), append(sent, c.ID)
		}
	}
	if len(sent) > 0 {
		_, err = submit.Next(f.t.Context(), hasty, f.run, sweep.Slurm, left)
		slurmlab.Must(f.t, err)
	}
	return sent
}

// plannedTrials are the identities of all trials, found by a run without faults.
func plannedTrials(t *testing.T) []string {
	t.Helper()
	f := newFaulty(t, 0)
	f.slurm.settle()
	if m := f.merge(); len(m.Missing) > 0 || m.New != 20 {
		t.Fatalf("without faults: %+v", m)
	}
	return f.recorded()
}

func faultSequence(t *testing.T, seed uint64, planned []string, drawn map[string]int) {
	f := newFaulty(t, seed)
	f.planned = planned
	if f.rng.IntN(3) == 0 {
		t.Logf("begins complete: %s", f.endRound())
	}
	for i := range 6 + f.rng.IntN(20) {
		step := steps[f.rng.IntN(len(steps))]
		if i < 2 {
			step = steps[0] // so that there is something to lose, unless there is already
		}
		t.Logf("%s: %s", step.name, step.take(f))
		drawn[step.name]++
		f.slurm.checkQueue()
	}
	f.complete()
}
