// SPDX-License-Identifier: Apache-2.0

package tuner

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/stat"
	"example.org/spmvtune/tuner/trial"
)

// play plays leader reruns of trials on the medians given, in order, where each repetition takes
// what its trial did; a name that ends in "!" fails. It returns how often each is asked.
func play(f *leaderReruns) map[string]int {
	asked := map[string]int{}
	for j := f.next(); j != nil; j = f.next() {
		r := trial.Result{Trial: j.Trial, Status: trial.OK, LeaderRerun: j.leader, Median: f.round[0].medians[0], Seconds: 1}
		if strings.HasSuffix(j.ID, "!") {
			r.Status = trial.Fault
		}
		asked[j.ID]++
		f.told(r)
	}
	return asked
}

func entered(most int, names string, medians ...float64) *leaderReruns {
	return enteredUpTo(nil, most, names, medians...)
}

// enteredUpTo is entered for trials whose intervals have these upper ends.
func enteredUpTo(highs []float64, most int, names string, medians ...float64) *leaderReruns {
	f := newLeaderReruns(most, 1, "m", nil)
	for i, t := range trialsOf(trial.Warm, names) {
		r := trial.Result{Trial: t, Median: medians[i]}
		if highs != nil {
			r.WithinHigh = highs[i]
		}
		f.enter(trial.Record{Result: r})
	}
	return f
}

func TestWhoIsInTheFinals(t *testing.T) {
	for _, tt := range []struct {
		name    string
		most    int
		names   string
		medians []float64
		want    map[string]int
	}{
		{"those near the best", 32, "a b c", []float64{1.04, 1, 1.06}, map[string]int{"a": 4, "b": 4}},
		{"one that is alone, once", 32, "a b", []float64{1, 1.1}, map[string]int{"a": 1}},
		{"not the only one", 32, "a", []float64{1}, map[string]int{}},
		{"none", 0, "a b", []float64{1, 1}, map[string]int{}},
		{"fewer than usual", 2, "a b", []float64{1, 1}, map[string]int{"a": 2, "b": 2}},
		{"eight at most", 1, "a b c d e f g h i", []float64{1, 1, 1, 1, 1, 1, 1, 1, 1.01},
			map[string]int{"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1, "g": 1, "h": 1}},
		{"one that fails leaves", 32, "a b! c", []float64{1, 1, 1}, map[string]int{"a": 4, "b!": 1, "c": 4}},
	} {
		got := play(entered(tt.most, tt.names, tt.medians...))
		testkit.Equal(t, len(got), len(tt.want), "%s", tt.name)
		for id, n := range tt.want {
			testkit.Equal(t, got[id], n, "%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// Where the time for repeats is over, each leader has two, and a run that goes on counts those of the run before, whose time a
// database does not know.
func TestRepeatsWithinTheirTime(t *testing.T) {
	again := trial.Result{LeaderRerun: true, Median: 1}
	for bound, all := range map[float64]int{2: 2, 1000: 4} {
		for kept := range 4 {
			f := newLeaderReruns(32, 1, "m", nil)
			f.bound = bound
			for _, of := range trialsOf(trial.Warm, "a b") {
				first := trial.Result{Trial: of, Median: 1, Seconds: 1}
				f.enter(trial.Record{Result: first, Reruns: slices.Repeat([]trial.Result{again}, kept)})
			}
			more := max(0, all-kept)
			testkit.Equal(t, fmt.Sprint(play(f)["a"], f.spent), fmt.Sprint(more, 2*(kept+more)), "%d of %g s", kept, bound)
		}
	}
}

// Where intervals are wide, the leaders are all that may be the fastest: those below every upper
// end that is known, eight at most. Narrow intervals change nothing.
func TestWideIntervalsMakeMoreLeaders(t *testing.T) {
	nine := strings.Fields("a b c d e f g h i")
	for _, tt := range []struct {
		name, names    string
		medians, highs []float64
		leaders        int
	}{
		{"narrow", "a b c", []float64{1, 1.04, 1.06}, []float64{1.01, 1.05, 1.07}, 2},
		{"wide", "a b c", []float64{1, 1.3, 1.6}, []float64{1.5, 1.8, 2}, 2},
		{"one is surely faster than another", "a b c", []float64{1, 1.1, 1.3}, []float64{1.5, 1.12, 1.8}, 2},
		{"that of the best is not known", "a b c", []float64{1, 1.1, 1.3}, []float64{0, 1.2, 0}, 2},
		{"none is known", "a b", []float64{1, 1.1}, []float64{0, 0}, 1},
		{"eight at most", strings.Join(nine, " "), []float64{1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8},
			[]float64{3, 3, 3, 3, 3, 3, 3, 3, 3}, 8},
	} {
		got := play(enteredUpTo(tt.highs, 1, tt.names, tt.medians...))
		want := map[string]int{}
		for _, id := range nine[:tt.leaders] {
			want[id] = 1
		}
		testkit.Check(t, maps.Equal(got, want), "%s: %v, want %v", tt.name, got, want)
	}
}

// The fastest trial of cuSPARSE is repeated as well, the fewest times, and then the leader is even
// where it is alone: a ratio of the two rests on repeat runs of both. Where no others are repeated, so is the plain
// kernel of a processor, and who is alone: nothing else tells how far repeats differ.
func TestTheLibraryIsRepeated(t *testing.T) {
	of := func(only bool, most int, kernels string, medians ...float64) map[string]int {
		f := newLeaderReruns(most, 1, "m", nil)
		f.only = only
		for i, name := range strings.Fields(kernels) {
			tr := trialsOf(trial.Warm, name)[0]
			tr.Kernel = name
			f.enter(trial.Record{Result: trial.Result{Trial: tr, Median: medians[i]}})
		}
		return play(f)
	}
	for _, tt := range []struct {
		only    bool
		most    int
		kernels string
		medians []float64
		want    map[string]int
	}{
		{false, 32, "a cusparse_csr_alg1 cusparse_csr_alg2", []float64{1, 2, 3}, map[string]int{"a": 4, "cusparse_csr_alg1": 4}},
		{false, 2, "a b cusparse_csr_alg1", []float64{1, 1, 3}, map[string]int{"a": 2, "b": 2, "cusparse_csr_alg1": 2}},
		{false, 32, "cusparse_csr_alg1 a", []float64{1, 2}, map[string]int{"cusparse_csr_alg1": 1}},
		{false, 0, "a cusparse_csr_alg1", []float64{1, 2}, map[string]int{}},
		{false, 32, "a cpu_csr", []float64{1, 2}, map[string]int{"a": 1}},
		{true, 32, "a b cpu_csr", []float64{1, 2, 2}, map[string]int{"a": 4, "cpu_csr": 4}},
		{true, 4, "cpu_csr a", []float64{1, 2}, map[string]int{"cpu_csr": 4}},
		{true, 4, "a", []float64{1}, map[string]int{"a": 4}},
	} {
		if got := of(tt.only, tt.most, tt.kernels, tt.medians...); !maps.Equal(got, tt.want) {
			t.Errorf("%s, others repeated %v: %v, want %v", tt.kernels, !tt.only, got, tt.want)
		}
	}
}

// Where two runs of a trial differ by half of its time, the fastest trial of a case was lucky, and may be alone by
// that. It is repeated nevertheless, and those join it that are as fast as it is then: else the luckiest would be
// named unseen, where repeating tells most. Each case is drawn like one of the quickstart.
func TestLuckyTrialsAreRepeated(t *testing.T) {
	const cases, trials, scatter = 200, 28, 0.5
	rng := rand.New(rand.NewPCG(1, 2))
	measure := func(block int) float64 {
		return (1 + float64(block)/trials) * math.Exp(scatter*rng.NormFloat64())
	}
	few, loss, luckiest := 0, 0.0, 0.0
	for range cases {
		f := newLeaderReruns(32, 1, "m", nil)
		best := trial.Result{Median: math.Inf(1)}
		for block := range trials {
			r := trial.Result{Median: measure(block)}
			r.ID, r.Block, r.WithinHigh = fmt.Sprint(block), block, 1.02*r.Median
			f.enter(trial.Record{Result: r})
			if r.Median < best.Median {
				best = r
			}
		}
		n := 0
		for j := f.next(); j != nil; j = f.next() {
			f.told(trial.Result{Trial: j.Trial, Status: trial.OK, LeaderRerun: true, Median: measure(j.Block)})
			n++
		}
		if n < 2*fewestLeaderReruns {
			few++
		}
		named, least := best.Block, math.Inf(1)
		for _, c := range f.ranking[caseOf(best.Trial)].trials {
			if mean := stat.GeometricMeanOf(c.medians[1:]); mean < least {
				named, least = c.Block, mean
			}
		}
		loss, luckiest = loss+float64(named)/trials/cases, luckiest+float64(best.Block)/trials/cases
	}
	testkit.Check(t, few <= cases/8 && loss <= 0.75*luckiest,
		"in %d of %d cases fewer than two trials were repeated; who is named by repeats is %.0f%% slower than "+"the best, and the luckiest %.0f%%", few, cases, 100*loss, 100*luckiest)
}

// Leader reruns go on until it is clear which of the leaders to name, or until there are as many as
// trials.
func TestFinalsGoOnUntilItIsClear(t *testing.T) {
	for _, tt := range []struct {
		scatter float64
		slow    int // trials that are no leaders
		want    int // leader reruns
	}{{0, 30, 8}, {0.04, 0, 8}, {0.04, 10, 12}, {0.04, 30, 32}} {
		names, medians := "a b", []float64{1, 1.03}
		for i := range tt.slow {
			names, medians = fmt.Sprint(names, " slow", i), append(medians, 2)
		}
		f, n := entered(32, names, medians...), 0
		for j := f.next(); j != nil; j = f.next() {
			c := f.round[0]
			wobble := []float64{1 + tt.scatter, 1 / (1 + tt.scatter)}[len(c.medians)%2]
			f.told(trial.Result{Trial: j.Trial, Status: trial.OK, LeaderRerun: true, Median: c.medians[0] * wobble})
			n++
		}
		testkit.Check(t, n == tt.want,
			"%d finals where they scatter by %g among %d trials, want %d", n, tt.scatter, 2+tt.slow, tt.want)
	}
}

// Who comes first in one round does not in all, or a drift would favour it.
func TestRoundsAreShuffled(t *testing.T) {
	names := strings.Fields("a b c d")
	f := entered(32, strings.Join(names, " "), 1, 1, 1, 1)
	orders := map[string]bool{}
	for range fewestLeaderReruns {
		var order []string
		for range names {
			j := f.next()
			order = append(order, j.ID)
			f.told(trial.Result{Trial: j.Trial, Status: trial.OK, LeaderRerun: true, Median: 1})
		}
		orders[strings.Join(order, " ")] = true
		if slices.Sort(order); !slices.Equal(order, names) {
			t.Errorf("a round of %v", order)
		}
	}
	testkit.Check(t, len(orders) >= 2, "all rounds are in the order %v", orders)
}

// A trial far slower than the best is cut short. A repeat run of it is not: it is compared with what was measured when
// there was no better one. Leader and noise reruns are prepared anew, and take the fewest samples.
func TestRequests(t *testing.T) {
	at := trial.Trial{ID: "a", Matrix: "m", Cache: trial.Warm}
	r := &run{sweep: finalsSweep(), current: &current{best: bests{caseOf(at): 1e-3}}}
	for _, tt := range []struct {
		job   job
		best  float64
		fresh bool
	}{{job{Trial: at}, 1e-3, false}, {job{Trial: at, sentinel: true}, 0, false}, {job{Trial: at, leader: true}, 0, true},
		{job{Trial: at, noise: true}, 0, true}, {job{Trial: at, partial: &configs.Protocol{}}, 0, false}} {
		got := r.request(tt.job).Trial
		fewest := got.Protocol.Samples == [2]int{6, 6}
		testkit.Check(t, got.Best == tt.best && got.Fresh == tt.fresh && fewest == tt.fresh,
			"%+v is compared with %g s, anew %v, the fewest samples %v", tt.job, got.Best, got.Fresh, fewest)
	}
}

// finalsSweep has three trials that take the same, in each cache state, and a slow one.
func finalsSweep() *configs.Sweep {
	sweep := testSweep(101, 102, 103, crawl)
	sweep.Protocol.Cache, sweep.Protocol.Finals = "both", 5
	return sweep
}

// The fastest are measured again when all trials are over, in rounds, with the fewest
// samples; their results stay what they were.
func TestFinals(t *testing.T) {
	for _, sweep := range []*configs.Sweep{finalsSweep(), onGPU(finalsSweep())} {
		rec := &memory{}
		sum := runTest(t, sweep, rec, Options{})
		testkit.Require(t, sum.Measured[trial.OK] == 8 && len(rec.results) == 8 && sum.LeaderReruns == 24 &&
			len(rec.finals) == 24,
			"measured %v and %d finals, recorded %d and %d, want 8 and 24", sum.Measured, sum.LeaderReruns, len(rec.results), len(rec.finals))
		for i, r := range rec.results {
			if want := []trial.Cache{trial.Warm, trial.Cold}[i/4]; r.Cache != want || r.Cache == trial.Cold && r.Batch != 1 {
				t.Errorf("trial %d is %s, in batches of %d, want %s", i, r.Cache, r.Batch, want)
			}
		}
		last := rec.results[7]
		for start := 0; start < 24; start += 3 {
			var blocks []int
			for _, r := range rec.finals[start : start+3] {
				blocks = append(blocks, r.Block)
				want := []trial.Cache{trial.Warm, trial.Cold}[start/12]
				testkit.Check(t, r.Cache == want && !r.At.Before(last.At) && len(r.Samples) == 6 && !r.Sentinel,
					"final %+v, want a %s one of 6 samples after %v", r, want, last.At)
			}
			if slices.Sort(blocks); !slices.Equal(blocks, []int{101, 102, 103}) {
				t.Errorf("a round of blocks %v", blocks)
			}
		}
	}
}

// Two repeat runs of a trial never have the same millisecond, by which a database tells them apart.
func TestRepeatsHaveTimesOfTheirOwn(t *testing.T) {
	now := time.Now()
	r := &run{}
	for i, want := range []time.Duration{5, 6, 7, 9, 10} {
		measured := []time.Duration{5, 5, 3, 9, 9}[i]
		got := r.later(now.Add(measured * time.Millisecond))
		testkit.Equal(t, got.UnixMilli(), now.Add(want*time.Millisecond).UnixMilli(), "result %d is of %v, want %v ms", i, got.Sub(now), want)
	}

	rec := &memory{}
	runTest(t, finalsSweep(), rec, Options{})
	seen := map[int64]bool{}
	for _, f := range rec.finals {
		testkit.Check(t, !seen[f.At.UnixMilli()], "a second repeat run at %v", f.At)
		seen[f.At.UnixMilli()] = true
	}
}

// The repeat runs of a matrix are measured in another process than its trials.
func TestRepeatsBeginInANewProcess(t *testing.T) {
	for _, sweep := range []*configs.Sweep{finalsSweep(), onGPU(finalsSweep())} {
		launch := testLauncher
		if sweep.Kernels[0].Kernels[0] == "csr_scalar" {
			launch = launcher("cuda")
		}
		rec := &memory{}
		processes := map[bool][]float64{} // of trials and of leader reruns
		testkit.Must(Run(t.Context(), sweep, recording{rec, func(r trial.Result) {
			processes[r.LeaderRerun] = append(processes[r.LeaderRerun], r.Properties["process"])
		}}, Options{Launch: launch}))
		for again, in := range processes {
			if in = slices.Compact(in); len(in) != 1 || again && in[0] == processes[false][0] {
				t.Errorf("repeats %t in processes %v, trials in %v", again, in, processes[false])
			}
		}
		testkit.Equal(t, len(rec.finals), 24, "finals")
	}
}

// Where a matrix is gone before its repeat runs, its trials stay, and the failure says so.
func TestMatrixGoneBeforeRepeats(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mtx")
	testkit.Succeed(t, os.WriteFile(path, []byte("%%MatrixMarket matrix coordinate real general\n6 6 1\n1 1 2\n"), 0o666))
	sweep, rec := finalsSweep(), &memory{}
	sweep.Matrices[0] = configs.Matrix{Name: "a", Path: path, Expand: true}
	sum := runTest(t, sweep, recording{rec, func(trial.Result) { os.Remove(path) }}, Options{})
	testkit.Require(t, len(rec.results) == 8 && len(rec.finals) == 0 && len(sum.Failures) == 1 && sum.Failures[0].Measured,
		"%d trials, %d finals, failures %v", len(rec.results), len(rec.finals), sum.Failures)
	testkit.Equal(t, sum.Failures[0].Skips(), "keeping the trials of a without repeat runs", "it goes on")
}

// A matrix is not loaded for repeat runs that the sweep has no time for.
func TestNoTimeForRepeats(t *testing.T) {
	sweep, all := finalsSweep(), &memory{}
	testkit.Must(Run(t.Context(), sweep, all, Options{Launch: testLauncher}))
	testkit.Require(t, len(all.finals) != 0, "no finals")

	sweep.Search.Time = time.Second
	rec, started := &memory{}, 0
	sum := testkit.Must(Run(t.Context(), sweep, recording{rec, func(trial.Result) {
		if len(rec.results) == len(all.results)-1 {
			time.Sleep(sweep.Search.Time)
		}
	}}, Options{Launch: func() *exec.Cmd { started++; return testLauncher() }}))
	testkit.Check(t, sum.OutOfTime && len(rec.finals) == 0 && started == 1,
		"out of time %t, %d finals, %d processes", sum.OutOfTime, len(rec.finals), started)
}

// recording also tells a function what is recorded.
type recording struct {
	*memory
	told func(trial.Result)
}

func (r recording) Record(ctx context.Context, res trial.Result) error {
	r.told(res)
	return r.memory.Record(ctx, res)
}

// What an earlier run did not come to is made up for, and no more.
func TestFinalsGoOn(t *testing.T) {
	rec := &memory{}
	runTest(t, finalsSweep(), rec, Options{})
	all := rec.finals
	for _, kept := range []int{24, 17, 0} {
		rec.finals = slices.Clone(all[:kept])
		sum := runTest(t, finalsSweep(), rec, Options{})
		count := map[string]int{}
		for _, r := range rec.finals {
			count[r.ID]++
		}
		for id, n := range count {
			testkit.Check(t, n == 4, "after %d: %d of %s", kept, n, id)
		}
		testkit.Check(t, sum.LeaderReruns == 24-kept && len(count) == 6 && len(rec.results) == 8,
			"after %d: %d more of %d trials", kept, sum.LeaderReruns, len(count))
	}
}

// A search ends with reruns of what it measured in full, told from the record or not.
func TestRerunsOfASearch(t *testing.T) {
	sweep := testSweep()
	for block := 101; block < 141; block++ {
		sweep.Kernels[0].Block = append(sweep.Kernels[0].Block, block)
	}
	sweep.Search.Strategy, sweep.Protocol.Finals, sweep.Protocol.Repeats = "racing", 4, 12
	rec := &memory{}
	sum := runTest(t, sweep, rec, Options{})
	testkit.Require(t, sum.LeaderReruns != 0 && sum.NoiseReruns != 0,
		"%d leader and %d noise reruns", sum.LeaderReruns, sum.NoiseReruns)
	for _, r := range slices.Concat(rec.finals, rec.spreads) {
		i := slices.IndexFunc(rec.results, func(o trial.Result) bool { return o.ID == r.ID })
		testkit.Check(t, i >= 0 && !rec.results[i].Partial(), "a rerun of %s, which is no whole trial", r.Config)
	}
	n := len(rec.finals)
	rec.finals = nil
	if sum := runTest(t, sweep, rec, Options{}); sum.LeaderReruns != n || sum.NoiseReruns != 0 {
		t.Errorf("%d leader and %d noise reruns where trials are recorded, want %d and 0", sum.LeaderReruns, sum.NoiseReruns, n)
	}
}

// Programs, whose times are their own, lead beside others and never in their place.
func TestProgramsLeadNobody(t *testing.T) {
	f := newLeaderReruns(4, 1, "m", nil)
	f.programs = map[string]bool{"liar": true, "slow": true}
	for i, c := range []struct {
		kernel string
		median float64
	}{{"liar", 1e-9}, {"a", 1}, {"b", 1.01}, {"slow", 3}, {"c", 2}} {
		one := trial.Trial{ID: c.kernel, Config: kernels.Config{Kernel: c.kernel, Block: i}}
		f.enter(trial.Record{Result: trial.Result{Trial: one, Median: c.median}})
	}
	var names []string
	for _, c := range leaders(f.ranking[f.places[0]].trials) {
		names = append(names, c.Kernel)
	}
	testkit.Equal(t, strings.Join(names, " "), "a b liar", "lead")
}
