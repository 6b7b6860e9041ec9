// SPDX-License-Identifier: Apache-2.0

package slurm

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/trial"
)

// cutSome cuts work that needs no sweep.
func cutSome(target, limit float64, all ...work) Plan {
	c := newCutter(target, limit)
	for _, w := range all {
		c.add(w)
	}
	c.flush()
	return c.plan
}

// wholly checks that every trial of every matrix is in exactly one piece, in the order
// of the matrices, and that identities of chunks are unique.
func wholly(t *testing.T, p Plan, all []work) {
	t.Helper()
	next := map[string]trial.Part{}
	ids := map[string]bool{}
	var order []string
	for _, c := range p.Chunks {
		testkit.Require(t, !ids[c.ID] && len(c.Pieces) != 0, "chunk %+v", c)
		ids[c.ID] = true
		for _, piece := range c.Pieces {
			want := next[piece.Matrix]
			testkit.Require(t, piece.Index == want.Index && (want.Of == 0 || piece.Of == want.Of),
				"piece %+v, want %+v", piece, want)
			next[piece.Matrix] = trial.Part{Index: piece.Index + 1, Of: piece.Of}
			if !slices.Contains(order, piece.Matrix) {
				order = append(order, piece.Matrix)
			}
		}
	}
	trials := 0
	for i, w := range all {
		n := next[w.matrix]
		testkit.Require(t, order[i] == w.matrix && n.Of != 0 && n.Index == n.Of, "of %s parts up to %+v", w.matrix, n)
		trials += w.trials
	}
	testkit.Require(t, trialsOf(p) == trials, "%d trials, want %d", trialsOf(p), trials)
}

func TestCutPacks(t *testing.T) {
	check := func(name string, p Plan, want ...string) {
		t.Helper()
		var got []string
		for _, c := range p.Chunks {
			var pieces []string
			for _, piece := range c.Pieces {
				pieces = append(pieces, fmt.Sprintf("%s %d/%d", piece.Matrix, piece.Index, piece.Of))
			}
			got = append(got, strings.Join(pieces, ", "))
		}
		testkit.EqualLists(t, got, want, "%s:\n%s", name, strings.Join(got, "\n"))
	}
	check("small matrices share a task", cutSome(100, 1000, work{"a", 10, 30, 1, false, 0}, work{"b", 10, 30, 1, false, 0},
		work{"c", 10, 60, 1, false, 0}),
		"a 0/1, b 0/1", "c 0/1")
	check("a large one is cut", cutSome(100, 1000, work{"a", 1000, 360, 10, false, 0}), "a 0/4", "a 1/4", "a 2/4", "a 3/4")
	check("a search is not", cutSome(100, 1000, work{"a", 1000, 360, 10, true, 0}), "a 0/1")
	check("loading is not repeated for little", cutSome(100, 1000, work{"a", 1000, 300, 150, false, 0}), "a 0/2", "a 1/2")
	check("nothing is cut finer than trials", cutSome(100, 1000, work{"a", 2, 9000, 0, false, 0}), "a 0/2", "a 1/2")
	check("no task is short if another can take it", cutSome(100, 1000, work{"a", 10, 95, 0, false, 0},
		work{"b", 10, 20, 0, false, 0}), "a 0/1, b 0/1")
	check("unless the limit forbids", cutSome(100, 100, work{"a", 10, 95, 0, false, 0}, work{"b", 10, 20, 0, false, 0}),
		"a 0/1", "b 0/1")
	check("the sweep may ask for short tasks", cutSome(5, 1000, work{"a", 10, 4, 0, false, 0}, work{"b", 10, 4, 0, false, 0}),
		"a 0/1", "b 0/1")
	check("no trials are a piece", cutSome(100, 1000, work{"a", 0, 0, 1, false, 0}), "a 0/1")
}

// Whatever the work: everything is done once; no task is above the limit unless it is
// one trial, or loading alone is; none is short where a task beside it could take its
// work.
func TestCutIsWhole(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		var all []work
		load := map[string]float64{}
		for i := range 1 + rng.IntN(30) {
			w := work{fmt.Sprint("m", i), rng.IntN(1 << rng.IntN(11)), rng.ExpFloat64() * 300, rng.ExpFloat64() * 20, false, 0}
			if rng.IntN(10) == 0 {
				w.load *= 30
			}
			if rng.IntN(10) == 0 {
				w.seconds *= 30
			}
			all = append(all, w)
			load[w.matrix] = w.load
		}
		target, limit := 1+rng.Float64()*600, 30+rng.Float64()*2000
		p := cutSome(target, limit, all...)
		wholly(t, p, all)
		const rounding = 1e-6
		least := min(60, target/2, limit/2)
		for i, c := range p.Chunks {
			if c.Seconds > limit+rounding && (len(c.Pieces) > 1 || c.Trials > 1 && load[c.Pieces[0].Matrix] < limit) {
				t.Fatalf("chunk %d of %d takes %.0f s of %.0f: %+v", i, len(p.Chunks), c.Seconds, limit, c)
			}
			if c.Seconds >= least {
				continue
			}
			if i > 0 && p.Chunks[i-1].Seconds+c.Seconds < limit-rounding || i+1 < len(p.Chunks) &&
				p.Chunks[i+1].Seconds+c.Seconds < limit-rounding {
				t.Fatalf("chunk %d of %d takes only %.0f s: %+v", i, len(p.Chunks), c.Seconds, c)
			}
		}
	}
}

// The halves of a chunk are the chunk, again and again.
func TestSplit(t *testing.T) {
	whole := Chunk{ID: "0007", Pieces: []trial.Piece{{Matrix: "a", Part: trial.Part{Of: 1}},
		{Matrix: "b", Part: trial.Part{Index: 2, Of: 3}}}, Trials: 9,
		Seconds: 90}
	halves := whole.Split()
	testkit.Require(t, len(halves) == 2 && halves[0].ID == "0007.1" && halves[1].ID == "0007.2" &&
		halves[0].Trials+halves[1].Trials == 9 && halves[0].Seconds == 45, "%+v", halves)
	quarters := halves[1].Split()
	want := []trial.Piece{{Matrix: "b", Part: trial.Part{Index: 4, Of: 6}},
		{Matrix: "b", Part: trial.Part{Index: 5, Of: 6}}}
	testkit.Check(t, quarters[1].ID == "0007.2.2" && quarters[0].Pieces[0] == want[0] && quarters[1].Pieces[0] == want[1],
		"%+v", quarters)
	testkit.Check(t, (Chunk{ID: "1", Pieces: []trial.Piece{{Matrix: "a", Part: trial.Part{Of: 1}}}, Trials: 1}).Split() == nil,
		"one trial was split")
}

// cutDevices stand for those of a cluster.
var cutDevices = map[string]kernels.Device{
	"cpu":  {Backend: "cpu", Name: "a processor", Units: 8, MaxBlock: 1 << 20, Cache: 32 << 20},
	"cuda": {Backend: "cuda", Name: "a GPU", Units: 108, MaxBlock: 1024, Cache: 40 << 20},
}

func parseSweep(t testing.TB, text string) *configs.Sweep {
	t.Helper()
	return testkit.Must(configs.Parse(filepath.Join(t.TempDir(), "s.toml"), []byte(text)))
}

// Both backends of a sweep count, and a matrix that can't be sized up is an error.
func TestCutSweep(t *testing.T) {
	const text = "[[matrix]]\ngenerate = \"grid_5pt\"\nnx = 1000\nny = 1000\n[[kernel]]\nname = \"cpu_csr\"\n"
	const onGPU = "[[kernel]]\nname = \"csr_scalar\"\nblock = [32, 64, 128]\ngrid = [1, 2]\n"
	one := testkit.Must(Cut(parseSweep(t, text), CutOptions{Target: time.Minute, Devices: cutDevices}))
	testkit.Check(t, trialsOf(one) == 2, "%+v", one)
	both := testkit.Must(Cut(parseSweep(t, text+onGPU),
		CutOptions{Target: time.Minute, Limit: time.Hour, Devices: cutDevices}))
	testkit.Check(t, trialsOf(both) == 2+12 && both.Chunks[0].Seconds > one.Chunks[0].Seconds, "%+v", both)
	two := testkit.Must(Cut(parseSweep(t, text+onGPU+"[slurm]\ngpus_per_task = 2\n"),
		CutOptions{Target: time.Minute, Limit: time.Hour, Devices: cutDevices}))
	testkit.Check(t, two.Chunks[0].Seconds < both.Chunks[0].Seconds && two.Chunks[0].Seconds > one.Chunks[0].Seconds,
		"on two GPUs: %+v", two)
	kinds := testkit.Must(Cut(parseSweep(t, text+"[[slurm.array]]\ngres = \"gpu:a30:1\"\n[[slurm.array]]\ngres = \"gpu:h100:1\"\n"),
		CutOptions{Target: time.Minute, Devices: cutDevices}))
	testkit.Check(t, len(kinds.Chunks) == 2 && trialsOf(kinds) == 2*trialsOf(one) && kinds.Chunks[1].Kind == 1 &&
		kinds.Chunks[0].Kind == 0 && slices.Equal(kinds.Chunks[0].Pieces, kinds.Chunks[1].Pieces), "two kinds: %+v", kinds)
	sweep := parseSweep(t, text)
	sweep.Matrices = append(sweep.Matrices, configs.Matrix{Name: "gone", Path: "no/such.mtx"})
	sweep.Matrices = append(sweep.Matrices, configs.Matrix{Name: "lost", Path: "neither.mtx"})
	_, err := Cut(sweep, CutOptions{Target: time.Minute, Devices: cutDevices})
	for _, file := range []string{"no/such.mtx", "neither.mtx"} {
		testkit.Fails(t, err, file)
	}
}

// What comes after the warning before the limit is not planned for.
func TestCutEndsBeforeTheWarning(t *testing.T) {
	const text = "[[matrix]]\ngenerate = \"grid_5pt\"\nnx = 1000\nny = 1000\n[[kernel]]\nname = \"csr_vector\"\nblock = { from = 32, to = 1024, step = 32 }\ngrid = { from = 1, to = 4000 }\n[protocol]\nsamples = [64, 64]\n[slurm]\nsignal = "
	for _, tt := range []struct {
		signal  string
		limit   time.Duration
		longest float64
	}{
		{"USR1@120", time.Hour, 0.8 * 3600},
		{"USR1@120", 5 * time.Minute, 180},
		{"", 5 * time.Minute, 240},
	} {
		p, err := Cut(parseSweep(t, text+fmt.Sprintf("%q\n", tt.signal)), CutOptions{Target: time.Hour, Limit: tt.limit,
			Devices: cutDevices})
		testkit.Succeed(t, err)
		longest := 0.0
		for _, c := range p.Chunks {
			longest = max(longest, c.Seconds)
		}
		testkit.Check(t, longest <= tt.longest && longest >= tt.longest/2,
			"%q and %s: a task of %.0f s, want %.0f", tt.signal, tt.limit, longest, tt.longest)
	}
	_, err := Cut(parseSweep(t, text+`"USR1@120"`), CutOptions{Target: time.Hour, Limit: 2 * time.Minute,
		Devices: cutDevices})
	testkit.Fails(t, err, "warned at once", "a warning when the task starts")
}

// trialsOf is the number of trials in a plan.
func trialsOf(p Plan) int {
	n := 0
	for _, c := range p.Chunks {
		n += c.Trials
	}
	return n
}

// The variables of a plain sbatch count where the sweep says nothing, and only there.
func TestWithEnvironment(t *testing.T) {
	env := map[string]string{
		"SBATCH_PARTITION": "long", "SBATCH_ACCOUNT": "mine", "SBATCH_RESERVATION": "lecture", "SBATCH_GRES": "gpu:1",
		"SBATCH_MEM_PER_CPU": "2G", "SBATCH_MEM_PER_NODE": "8G", "SBATCH_ARRAY_INX": "0-9", "SBATCH_EXCLUSIVE": "user",
	}
	sweep := configs.Slurm{Partition: "debug", GPUs: "2", Exclusive: true, Extra: []string{"--comment=x"}}
	got := WithEnvironment(sweep, func(name string) string { return env[name] })
	testkit.Check(t, got.Partition == "debug" && got.Account == "mine" && got.Mem == "8G" && got.Gres == "" &&
		slices.Equal(got.Extra, []string{"--comment=x", "--reservation=lecture"}), "a job asks for %+v", got)
	want := map[string]string{"SBATCH_ACCOUNT": "mine", "SBATCH_RESERVATION": "lecture", "SBATCH_MEM_PER_NODE": "8G"}
	testkit.Check(t, maps.Equal(got.Environment, want), "recorded is %v", got.Environment)
	// A later shell with other variables changes nothing.
	again := WithEnvironment(sweep, func(name string) string { return got.Environment[name] })
	testkit.Check(t, again.Account == "mine" && again.Mem == "8G" && len(again.Environment) == 3,
		"from what is recorded, a job asks for %+v", again)
}

func TestHasType(t *testing.T) {
	for _, c := range []struct {
		name, kind string
		want       bool
	}{
		{"NVIDIA A30", "a30", true}, {"NVIDIA A30", "A30", true}, {"NVIDIA A30", "h100", false}, {"NVIDIA A100 80GB PCIe", "a10", false},
		{"NVIDIA A100 80GB PCIe", "a100", true}, {"NVIDIA A100-SXM4-40GB", "a100", true}, {"Tesla V100S-PCIE-32GB", "v100s", true},
		{"Tesla V100S-PCIE-32GB", "v100", true}, {"NVIDIA GeForce RTX 3090", "rtx3090", true}, {"NVIDIA RTX A6000", "rtxa6000", true},
		{"NVIDIA L40", "l4", false}, {"NVIDIA A100-SXM4-40GB", "1g.5gb", true}, {"NVIDIA A30", "tesla", true}, {"NVIDIA A30", "a100_80gb", true},
	} {
		testkit.Equal(t, hasType(c.name, c.kind), c.want, "%s as %s", c.name, c.kind)
	}
}

// Tasks measure what was settled when the run was submitted, whatever is there when they
// begin.
func TestDownloads(t *testing.T) {
	text := `name = "down"
[[matrix]]
suitesparse = "HB/real"
generate = "mycielskian"
order = 4
[[matrix]]
suitesparse = "HB/twin"
generate = "mycielskian"
order = 5
[[matrix]]
generate = "mycielskian"
order = 6
[[kernel]]
name = "cpu_csr"
`
	dir := t.TempDir()
	sweep := testkit.Must(configs.Parse(filepath.Join(dir, "down.toml"), []byte(text)))
	sweep.Matrices[0] = sweep.Matrices[0].Downloaded("/cache/HB/real.tar.gz")
	sweep.Matrices[1] = sweep.Matrices[1].AsTwin()
	made := testkit.Must(Create(dir, sweep, Plan{}, os.Args[0], "test"))
	run := testkit.Must(Open(made.Dir))
	again := testkit.Must(run.TaskSweep())
	testkit.Check(t, reflect.DeepEqual(again.Matrices, sweep.Matrices),
		"tasks get %+v, submitted were %+v", again.Matrices, sweep.Matrices)
}

// The program built with CUDA that would measure must be that of the run, wherever the one that runs is.
func TestOtherProgramBesideThisOne(t *testing.T) {
	dir := t.TempDir()
	beside := filepath.Join(dir, cudaName)
	self := filepath.Join(dir, programName)
	link := filepath.Join(t.TempDir(), programName)
	for _, err := range []error{
		os.WriteFile(self, nil, 0o777), os.WriteFile(beside, []byte("one"), 0o777), os.Symlink(self, link),
	} {
		testkit.Succeed(t, err)
	}
	hash := testkit.Must(hashOf(os.Open(beside)))
	r := &Run{Info: Info{CUDA: hash}}
	testkit.Succeed(t, r.checkBeside(link))
	testkit.Succeed(t, os.WriteFile(beside, []byte("other"), 0o777))
	testkit.Fails(t, r.checkBeside(link), "", "another program may measure")
}
