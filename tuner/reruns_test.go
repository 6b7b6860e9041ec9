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

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/tuner/stat"
	"spmvtune/tuner/trial"
)

// play plays leader reruns of trials on the medians given, in order, where each repetition takes
// what its trial did; a name that ends in "!" fails. It returns how often each is asked.
func play(f *leaderReruns) map[string]int {
	asked := map[string]int{}
	for j := f.next(); j != nil; j = f.next() {
		r := trial.Result{Trial: j.Trial, Status: trial.OK, LeaderRerun: j.leader, Median: f.round[0].medians[0]}
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
	f := newLeaderReruns(most, 1, "m")
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
		if len(got) != len(tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
		for id, n := range tt.want {
			if got[id] != n {
				t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
			}
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
		if !maps.Equal(got, want) {
			t.Errorf("%s: %v, want %v", tt.name, got, want)
		}
	}
}

// The fastest trial of cuSPARSE is repeated as well, the fewest times, and then the leader is even
// where it is alone: a ratio of the two rests on repeat runs of both.
func TestTheLibraryIsRepeated(t *testing.T) {
	of := func(most int, kernels string, medians ...float64) map[string]int {
		f := newLeaderReruns(most, 1, "m")
		for i, name := range strings.Fields(kernels) {
			tr := trialsOf(trial.Warm, name)[0]
			tr.Kernel = name
			f.enter(trial.Record{Result: trial.Result{Trial: tr, Median: medians[i]}})
		}
		return play(f)
	}
	for _, tt := range []struct {
		most    int
		kernels string
		medians []float64
		want    map[string]int
	}{
		{32, "a cusparse_csr_alg1 cusparse_csr_alg2", []float64{1, 2, 3}, map[string]int{"a": 4, "cusparse_csr_alg1": 4}},
		{2, "a b cusparse_csr_alg1", []float64{1, 1, 3}, map[string]int{"a": 2, "b": 2, "cusparse_csr_alg1": 2}},
		{32, "cusparse_csr_alg1 a", []float64{1, 2}, map[string]int{"cusparse_csr_alg1": 1}},
		{0, "a cusparse_csr_alg1", []float64{1, 2}, map[string]int{}},
	} {
		if got := of(tt.most, tt.kernels, tt.medians...); !maps.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.kernels, got, tt.want)
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
		f := newLeaderReruns(32, 1, "m")
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
	if few > cases/8 || loss > 0.75*luckiest {
		t.Errorf("in %d of %d cases fewer than two trials were repeated; who is named by repeats is %.0f%% slower than "+
			"the best, and the luckiest %.0f%%", few, cases, 100*loss, 100*luckiest)
	}
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
		if n != tt.want {
			t.Errorf("%d finals where they scatter by %g among %d trials, want %d", n, tt.scatter, 2+tt.slow, tt.want)
		}
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
	if len(orders) < 2 {
		t.Errorf("all rounds are in the order %v", orders)
	}
}

// A trial far slower than the best is cut short. A repeat run of it is not: it is compared with what was measured when
// there was no better one. Leader and noise reruns are prepared anew, and take the fewest samples.
func TestRequests(t *testing.T) {
	at := trial.Trial{ID: "a", Matrix: "m", Cache: trial.Warm}
	r := &run{sweep: finalsSweep(), current: current{best: bests{caseOf(at): 1e-3}}}
	for _, tt := range []struct {
		job   job
		best  float64
		fresh bool
	}{{job{Trial: at}, 1e-3, false}, {job{Trial: at, sentinel: true}, 0, false}, {job{Trial: at, leader: true}, 0, true},
		{job{Trial: at, noise: true}, 0, true}, {job{Trial: at, partial: &configs.Protocol{}}, 0, false}} {
		got := r.request(tt.job).Trial
		if fewest := got.Protocol.Samples == [2]int{6, 6}; got.Best != tt.best || got.Fresh != tt.fresh || fewest != tt.fresh {
			t.Errorf("%+v is compared with %g s, anew %v, the fewest samples %v", tt.job, got.Best, got.Fresh, fewest)
		}
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
		if sum.Measured[trial.OK] != 8 || len(rec.results) != 8 || sum.LeaderReruns != 24 || len(rec.finals) != 24 {
			t.Fatalf("measured %v and %d finals, recorded %d and %d, want 8 and 24", sum.Measured, sum.LeaderReruns, len(rec.results),
				len(rec.finals))
		}
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
				if want := []trial.Cache{trial.Warm, trial.Cold}[start/12]; r.Cache != want || r.At.Before(last.At) ||
					len(r.Samples) != 6 || r.Sentinel {
					t.Errorf("final %+v, want a %s one of 6 samples after %v", r, want, last.At)
				}
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
		if got.UnixMilli() != now.Add(want*time.Millisecond).UnixMilli() {
			t.Errorf("result %d is of %v, want %v ms", i, got.Sub(now), want)
		}
	}

	rec := &memory{}
	runTest(t, finalsSweep(), rec, Options{})
	seen := map[int64]bool{}
	for _, f := range rec.finals {
		if seen[f.At.UnixMilli()] {
			t.Errorf("a second repeat run at %v", f.At)
		}
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
		_, err := Run(t.Context(), sweep, recording{rec, func(r trial.Result) {
			processes[r.LeaderRerun] = append(processes[r.LeaderRerun], r.Properties["process"])
		}}, Options{Launch: launch})
		if err != nil {
			t.Fatal(err)
		}
		for again, in := range processes {
			if in = slices.Compact(in); len(in) != 1 || again && in[0] == processes[false][0] {
				t.Errorf("repeats %t in processes %v, trials in %v", again, in, processes[false])
			}
		}
		if len(rec.finals) != 24 {
			t.Errorf("%d finals, want 24", len(rec.finals))
		}
	}
}

// Where a matrix is gone before its repeat runs, its trials stay, and the failure says so.
func TestMatrixGoneBeforeRepeats(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mtx")
	if err := os.WriteFile(path, []byte("%%MatrixMarket matrix coordinate real general\n6 6 1\n1 1 2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	sweep, rec := finalsSweep(), &memory{}
	sweep.Matrices[0] = configs.Matrix{Name: "a", Path: path, Expand: true}
	sum := runTest(t, sweep, recording{rec, func(trial.Result) { os.Remove(path) }}, Options{})
	if len(rec.results) != 8 || len(rec.finals) != 0 || len(sum.Failures) != 1 || !sum.Failures[0].Measured {
		t.Fatalf("%d trials, %d finals, failures %v", len(rec.results), len(rec.finals), sum.Failures)
	}
	if got := sum.Failures[0].Skips(); got != "keeping the trials of a without repeat runs" {
		t.Error(got)
	}
}

// A matrix is not loaded for repeat runs that the sweep has no time for.
func TestNoTimeForRepeats(t *testing.T) {
	sweep, all := finalsSweep(), &memory{}
	if _, err := Run(t.Context(), sweep, all, Options{Launch: testLauncher}); err != nil || len(all.finals) == 0 {
		t.Fatal(len(all.finals), err)
	}

	sweep.Search.Time = time.Second
	rec, started := &memory{}, 0
	sum, err := Run(t.Context(), sweep, recording{rec, func(trial.Result) {
		if len(rec.results) == len(all.results)-1 { // this is the last trial
			time.Sleep(sweep.Search.Time)
		}
	}}, Options{Launch: func() *exec.Cmd { started++; return testLauncher() }})
	if err != nil || !sum.OutOfTime || len(rec.finals) != 0 || started != 1 {
		t.Errorf("error %v, out of time %t, %d finals, %d processes", err, sum.OutOfTime, len(rec.finals), started)
	}
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
			if n != 4 {
				t.Errorf("after %d: %d of %s", kept, n, id)
			}
		}
		if sum.LeaderReruns != 24-kept || len(count) != 6 || len(rec.results) != 8 {
			t.Errorf("after %d: %d more of %d trials", kept, sum.LeaderReruns, len(count))
		}
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
	if sum.LeaderReruns == 0 || sum.NoiseReruns == 0 {
		t.Fatalf("%d leader and %d noise reruns", sum.LeaderReruns, sum.NoiseReruns)
	}
	for _, r := range slices.Concat(rec.finals, rec.spreads) {
		if i := slices.IndexFunc(rec.results, func(o trial.Result) bool { return o.ID == r.ID }); i < 0 ||
			rec.results[i].Partial() {
			t.Errorf("a rerun of %s, which is no whole trial", r.Config)
		}
	}
	n := len(rec.finals)
	rec.finals = nil
	if sum := runTest(t, sweep, rec, Options{}); sum.LeaderReruns != n || sum.NoiseReruns != 0 {
		t.Errorf("%d leader and %d noise reruns where trials are recorded, want %d and 0", sum.LeaderReruns, sum.NoiseReruns, n)
	}
}

// Programs, whose times are their own, lead beside others and never in their place.
func TestProgramsLeadNobody(t *testing.T) {
	f := newLeaderReruns(4, 1, "m")
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
	if got := strings.Join(names, " "); got != "a b liar" {
		t.Errorf("%s lead, want a b liar", got)
	}
}

func TestHowManyAreRepeated(t *testing.T) {
	for _, tt := range []struct{ trials, most, want int }{
		{5, 12, 0}, {6, 12, 3}, {28, 12, 3}, {40, 12, 4}, {95, 12, 9}, {300, 12, 12}, {300, 5, 5}, {6, 2, 2}, {300, 0, 0},
	} {
		if got := noiseRerunsOf(tt.trials, tt.most); got != tt.want {
			t.Errorf("of %d trials, %d at most: %d, want %d", tt.trials, tt.most, got, tt.want)
		}
	}
}

// Only trials that ended well with all their samples are repeated, from all over the plan.
func TestWhoIsRepeated(t *testing.T) {
	plan := numbered(60)
	s := newNoiseReruns(12, plan, plan)
	for i, one := range plan {
		switch {
		case i%3 == 0: // failed
		case i%3 == 1:
			s.enter(trial.Record{Result: trial.Result{Trial: one, Stop: trial.StopSlow}})
		default:
			s.enter(trial.Record{Result: trial.Result{Trial: one, Stop: trial.StopTarget}})
		}
	}
	var got []int
	for j := s.next(); j != nil; j = s.next() {
		if !j.noise || !j.fresh() {
			t.Errorf("job %+v, want one that is prepared anew", j)
		}
		got = append(got, j.Block)
		s.told()
	}
	if want := []int{2, 11, 20, 32, 41, 50}; !slices.Equal(got, want) {
		t.Errorf("repeated %v, want %v", got, want)
	}
}

// numbered is a plan of n trials of one case, whose blocks count from 0.
func numbered(n int) []trial.Trial {
	plan := make([]trial.Trial, n)
	for i := range plan {
		plan[i].ID, plan[i].Cache, plan[i].Block = fmt.Sprint(i), trial.Warm, i
	}
	return plan
}

// Runs that each measure a part repeat the same trials together as one run of all.
func TestPartsRepeatWhatTheWholeDoes(t *testing.T) {
	plan := numbered(125)
	chosen := func(own []trial.Trial) []trial.Trial {
		s := newNoiseReruns(12, plan, own)
		for _, one := range own {
			s.enter(trial.Record{Result: trial.Result{Trial: one, Stop: trial.StopTarget}})
		}
		return s.choice()
	}
	whole := chosen(plan)
	for _, n := range []int{2, 3, 7, 40} {
		var parts []trial.Trial
		for i := range n {
			parts = append(parts, chosen(trial.Cut(trial.Part{Index: i, Of: n}, plan))...)
		}
		if !slices.Equal(parts, whole) {
			t.Errorf("%d parts repeat %v, want %v", n, parts, whole)
		}
	}
}

// spreadSweep has eight trials and no leader reruns.
func spreadSweep() *configs.Sweep {
	sweep := testSweep(101, 102, 103, 104, 105, 106, 107, 108)
	sweep.Protocol.Repeats = 12
	return sweep
}

// Some trials are measured again at the end, anew and with the fewest samples. They are no
// results, and are counted apart. What an interrupted run did not come to is made up for.
func TestSpreads(t *testing.T) {
	for _, gpu := range []bool{false, true} {
		sweep := spreadSweep()
		if gpu {
			onGPU(sweep)
		}
		rec := &memory{}
		sum := runTest(t, sweep, rec, Options{})
		if sum.NoiseReruns != 3 || len(rec.spreads) != 3 || len(rec.results) != 8 || sum.LeaderReruns != 0 || sum.Trials != 8 {
			t.Fatalf("%d spreads, recorded %d and %d results: %+v", sum.NoiseReruns, len(rec.spreads), len(rec.results), sum)
		}
		for _, r := range rec.spreads {
			if len(r.Samples) != 6 || r.LeaderRerun || r.Sentinel || r.At.Before(rec.results[7].At) {
				t.Errorf("spread %+v, want one of 6 samples after all results", r)
			}
		}

		all := rec.spreads
		for kept := range 4 {
			rec.spreads = slices.Clone(all[:kept])
			if sum := runTest(t, sweep, rec, Options{}); sum.NoiseReruns != 3-kept || sum.Finished != 8 {
				t.Errorf("after %d spreads: %d more", kept, sum.NoiseReruns)
			}
			for i, r := range rec.spreads {
				if r.ID != all[i].ID {
					t.Errorf("after %d spreads, number %d is another one", kept, i)
				}
			}
		}
	}
}

// order plays a queue: trials whose name starts with "bad" fail, as does the n-th
// sentinel, from 1, where failing is n. Sentinels are marked with a star.
func order(q *queue, failing int) string {
	var jobs []string
	for j := q.next(); j != nil; j = q.next() {
		r := trial.Result{Trial: j.Trial, Status: trial.OK, Sentinel: j.sentinel, Median: took(j.ID)}
		if strings.HasPrefix(j.ID, "bad") {
			r.Status = trial.Fault
		}
		name := j.ID
		if j.sentinel {
			name += "*"
			if failing--; failing == 0 {
				r.Status = trial.Fault
			}
		}
		jobs = append(jobs, name)
		q.told(r)
	}
	return strings.Join(jobs, " ")
}

// took returns how many seconds a trial takes: hours if its name ends so.
func took(id string) float64 {
	if strings.HasSuffix(id, "-hours") {
		return 5000
	}
	return 1
}

func trialsOf(cache trial.Cache, ids string) (list []trial.Trial) {
	for _, id := range strings.Fields(ids) {
		list = append(list, trial.Trial{ID: id, Cache: cache})
	}
	return list
}

func TestQueue(t *testing.T) {
	for _, tt := range []struct {
		name             string
		warm, cold, good string
		every, failing   int
		want             string
	}{
		{"no sentinels", "a b c d", "", "", 0, 0, "a b c d"},
		{"every two", "a b c d e f", "", "", 2, 0, "a b c a* d e a* f"},
		{"not after the last", "a b c", "", "", 2, 0, "a b c"},
		{"the first good one", "bad1 bad2 c d e", "", "", 1, 0, "bad1 bad2 c d c* e"},
		{"failed ones count", "a bad1 bad2 b", "", "", 2, 0, "a bad1 bad2 a* b"},
		{"each cache state has its own", "a b c", "d e f", "", 1, 0, "a b a* c d e d* f"},
		{"that of an earlier run goes on, at once", "c d e f", "", "a b", 2, 0, "a* c d a* e f"},
		{"where it is left off, there is no need", "", "d e", "a", 2, 0, "d e"},
		{"one that is much faster takes over", "a-hours b-hours c d e f", "", "", 2, 0, "a-hours b-hours c d e c* f"},
		{"also in an earlier run", "d e", "", "a-hours b c", 2, 0, "b* d e"},
		{"one that fails is replaced", "a b c d e", "", "", 1, 1, "a b a* c d c* e"},
	} {
		var good []trial.Record
		for _, t := range trialsOf(trial.Warm, tt.good) {
			good = append(good, trial.Record{Result: trial.Result{Trial: t, Median: took(t.ID)}})
		}
		q := newQueue(&list{slices.Concat(trialsOf(trial.Warm, tt.warm), trialsOf(trial.Cold, tt.cold))},
			good, tt.every, newLeaderReruns(0, 1, ""), newNoiseReruns(0, nil, nil))
		if got := order(q, tt.failing); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
