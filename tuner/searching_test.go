// SPDX-License-Identifier: Apache-2.0

package tuner

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/search"
	"example.org/spmvtune/tuner/trial"
)

// valley is the first of the block sizes that are the faster the nearer to valley + 17.
const valley = 1000

// searchSweep searches the valley.
func searchSweep(strategy string) *configs.Sweep {
	var blocks []int
	for b := range 30 {
		blocks = append(blocks, valley+b)
	}
	sweep := testSweep(blocks...)
	sweep.Kernels[0].Precisions = []kernels.Precision{kernels.Float32, kernels.Float64}
	sweep.Protocol.Cache = "both"
	sweep.Search.Strategy = strategy
	return sweep
}

// What a sweep file may name are the strategies there are.
func TestStrategiesOfSweepFiles(t *testing.T) {
	for _, name := range search.Names() {
		text := "[search]\nstrategy = \"" + name +
			"\"\nbudget = { trials = 9 }\n[[matrix]]\ngenerate = \"grid_5pt\"\nnx = 3\nny = 3\n[[kernel]]\nname = \"cpu_csr\"\n"
		if _, err := configs.Parse("s.toml", []byte(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A search measures some of the configurations, in places that are never mixed, and the
// fastest under the sweep's protocol. Done once, it is done.
func TestSearch(t *testing.T) {
	for _, name := range search.Names() {
		if !search.Adaptive(name) {
			continue
		}
		rec := &memory{}
		sweep := searchSweep(name)
		var planned MatrixPlanned
		sum := runTest(t, sweep, rec, Options{Observe: func(e Event) {
			if e.Matrix != nil {
				planned = *e.Matrix
			}
		}})
		testkit.Check(t, sum.Trials == len(rec.results) && sum.Trials <= planned.Trials && planned.AtMost &&
			sum.Finished == 0, "%s: %d trials, %d results, planned %+v", name, sum.Trials, len(rec.results), planned)
		var order []trial.Case
		at := func(t trial.Trial) trial.Case { return trial.Case{Precision: t.Precision, Cache: t.Cache} }
		whole, fastest := map[trial.Case]int{}, map[trial.Case]trial.Result{}
		for _, r := range rec.results {
			if len(order) == 0 || order[len(order)-1] != at(r.Trial) {
				order = append(order, at(r.Trial))
			}
			if r.Stop != trial.StopSearch {
				whole[at(r.Trial)]++
				if b, is := fastest[at(r.Trial)]; !is || r.Median < b.Median {
					fastest[at(r.Trial)] = r
				}
			}
		}
		if want := []trial.Case{{Precision: "float32", Cache: trial.Warm}, {Precision: "float64", Cache: trial.Warm},
			{Precision: "float32", Cache: trial.Cold}, {Precision: "float64", Cache: trial.Cold}}; !slices.Equal(order, want) {
			t.Errorf("%s: places %v", name, order)
		}
		for _, p := range order {
			if n := whole[p]; n == 0 || n > 15 && name != search.Tune { // which measures everything where it expects nothing
				t.Errorf("%s: %d configurations measured under the protocol in %v", name, n, p)
			}
			if r := fastest[p]; r.Block != valley+17 && name != "local" {
				t.Errorf("%s: %v is the fastest found", name, r.Config)
			}
		}
		again := runTest(t, sweep, rec, Options{})
		testkit.Check(t, len(again.Measured) == 0 && again.Finished == sum.Trials && again.Trials == sum.Trials,
			"%s again: %d of %d finished, measured %v", name, again.Finished, again.Trials, again.Measured)
	}
}

// dying records n results and then fails, as a run does that is killed.
type dying struct {
	*memory
	n int
}

var errKilled = errors.New("killed")

func (d *dying) Record(ctx context.Context, r trial.Result) error {
	if d.n == 0 {
		return errKilled
	}
	d.n--
	return d.memory.Record(ctx, r)
}

// A search that is killed again and again comes to the same results as an unbroken one.
func TestSearchGoesOn(t *testing.T) {
	for _, name := range []string{"racing", "local", search.Tune} {
		sweep := searchSweep(name)
		unbroken := &memory{}
		runTest(t, sweep, unbroken, Options{})
		often := []int{20}
		if testkit.LongAsked() {
			often = append(often, 3)
		}
		for _, k := range often {
			broken, runs := &memory{}, 0
			for {
				_, err := Run(t.Context(), sweep, &dying{broken, k}, Options{Launch: testLauncher})
				if runs++; err == nil {
					break
				}
				testkit.Require(t, errors.Is(err, errKilled) && runs <= 400,
					"%s, killed at every %d: run %d: %v", name, k, runs, err)
			}
			ids := func(m *memory) (list []string) {
				for _, r := range m.results {
					list = append(list, r.ID)
				}
				return list
			}
			testkit.Check(t, runs >= 2 && slices.Equal(ids(broken), ids(unbroken)),
				"%s, killed at every %d: %d results after %d runs, want %d", name, k, len(broken.results), runs, len(unbroken.results))
		}
	}
}

// forgetting can be asked n times what it has recorded.
type forgetting struct {
	*memory
	n      int
	failed bool
}

var errForgotten = errors.New("forgotten")

func (f *forgetting) Recorded(ctx context.Context, ids []string, d trial.Detail) (map[string]trial.Record, error) {
	if f.n == 0 {
		f.failed = true
		return nil, errForgotten
	}
	f.n--
	return f.memory.Recorded(ctx, ids, d)
}

// Whenever the record can't be read, the run and its preview say so: it does not pass for a whole one.
func TestUnreadableRecordEndsTheRun(t *testing.T) {
	for _, strategy := range []string{"grid", "racing"} {
		sweep := testSweep(101, 102, 103, 104, 105, 106, 107, 108)
		sweep.Search.Strategy, sweep.Protocol.Finals, sweep.Protocol.Repeats = strategy, 1, 3
		known := &memory{}
		runTest(t, sweep, known, Options{})
		for _, rec := range []*memory{{}, known} {
			for n := 0; ; n++ {
				f := &forgetting{memory: &memory{results: slices.Clone(rec.results)}, n: n}
				_, err := Run(t.Context(), sweep, f, Options{Launch: testLauncher})
				if err == nil && !f.failed {
					break
				}
				testkit.Require(t, errors.Is(err, errForgotten),
					"%s: the record fails after being asked %d times: %v", strategy, n, err)

				f = &forgetting{memory: rec, n: n}
				if _, _, _, err := Preview(t.Context(), sweep, f, Options{Launch: testLauncher}); (err != nil) != f.failed {
					t.Errorf("%s: the record of a preview fails after being asked %d times: %v", strategy, n, err)
				}
			}
		}
	}
}

// A budget of trials bounds the steps, as is announced; its last one measures the fastest under
// the sweep's protocol.
func TestSearchWithinABudget(t *testing.T) {
	sweep := searchSweep("racing")
	sweep.Search.Trials = 9
	rec := &memory{}
	runTest(t, sweep, rec, Options{Observe: func(e Event) {
		if e.Matrix != nil && e.Matrix.Trials != 2*9 {
			t.Errorf("%d trials are announced, want 9 for each cache state", e.Matrix.Trials)
		}
	}})
	steps, whole := map[trial.Case]int{}, map[trial.Case]int{}
	for _, r := range rec.results {
		steps[caseOf(r.Trial)]++
		if r.Stop != trial.StopSearch {
			whole[caseOf(r.Trial)]++
		}
	}
	fastest, chosen := map[trial.Case]trial.Result{}, map[trial.Case]trial.Result{}
	for _, r := range rec.results {
		p := caseOf(r.Trial)
		if r.Stop != trial.StopSearch {
			chosen[p] = r
		} else if best, is := fastest[p]; !is || r.Median < best.Median {
			fastest[p] = r
		}
	}
	last := map[trial.Case]trial.Result{}
	for _, r := range rec.results {
		last[caseOf(r.Trial)] = r
	}
	for p, n := range steps {
		testkit.Check(t, last[p].Stop != trial.StopSearch, "%v: the search goes on after the trial under the protocol", p)
		testkit.Equal(t, chosen[p].Config, fastest[p].Config, "%v: is measured under the protocol", p)
		want := map[kernels.Precision]int{kernels.Float32: 4, kernels.Float64: 5}[p.Precision]
		testkit.Check(t, n == want && whole[p] == 1,
			"%v: %d steps, %d under the protocol, want %d and 1", p, n, whole[p], want)
	}
}

// The strategy tune asks once for each search what is expected, and begins with the best of that. A bound of
// measuring time ends a search, which says what may still be faster; a later run with a wider bound goes on.
func TestSearchByExpectations(t *testing.T) {
	sweep := searchSweep(search.Tune)
	sweep.Kernels[0].Precisions, sweep.Protocol.Cache = sweep.Kernels[0].Precisions[:1], "warm"
	rec, asked := &memory{}, 0
	var end *Searched
	opt := Options{
		Observe: func(e Event) { end = cmp.Or(e.Searched, end) },
		Expect: func(_ kernels.Device, _ trial.Matrix, _ trial.Cache, among []kernels.Config) []search.Expectation {
			asked++
			list := make([]search.Expectation, len(among))
			for i, c := range among {
				list[i] = search.Expectation{Seconds: 1 + float64((c.Block-valley)*7%30), Spread: 3}
			}
			return list
		},
	}
	sweep.Search.Busy = time.Nanosecond
	runTest(t, sweep, rec, opt)
	testkit.Require(t, asked == 1 && len(rec.results) == 1 && rec.results[0].Block == valley,
		"asked %d times, measured %d, at first %v", asked, len(rec.results), rec.results[0].Config)
	testkit.Check(t, end != nil && end.Worthy >= 1 && end.Config.Block == valley+13 && end.Chance >= search.Least &&
		end.Matrix != "", "the search ends with %+v", end)
	sweep.Search.Busy, end = 0, nil
	sum := runTest(t, sweep, rec, opt)
	testkit.Check(t, sum.Finished == 1 && len(rec.results) >= 3 && end != nil && end.Worthy == 0,
		"then %+v, and it ends with %+v", sum, end)
}

// Tasks that each have a part have some of the searches, and all of them together.
func TestPartsOfSearches(t *testing.T) {
	sweep := searchSweep("racing")
	whole := &memory{}
	runTest(t, sweep, whole, Options{})
	for _, n := range []int{1, 2, 3, 8} {
		parts := &memory{}
		for i := range n {
			sum := runTest(t, sweep, parts, Options{Pieces: []trial.Piece{piece("grid", i, n)}})
			testkit.Check(t, sum.Finished == 0 && len(sum.Pieces) == 1 && sum.Pieces[0].Complete,
				"part %d of %d: %+v", i, n, sum)
		}
		if got, want := identities(parts), identities(whole); len(want) != len(got) && n == 1 {
			t.Errorf("%d parts: %d trials, want %d", n, len(got), len(want))
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	rec := &memory{}
	sum := testkit.Must(Run(ctx, sweep, rec,
		Options{Launch: testLauncher, Pieces: []trial.Piece{piece("grid", 0, 1)},
			Observe: func(e Event) {
				if e.Result != nil {
					cancel()
				}
			}}))
	testkit.Check(t, len(sum.Pieces) == 1 && !sum.Pieces[0].Complete, "a search that was interrupted, %+v", sum.Pieces)
}
