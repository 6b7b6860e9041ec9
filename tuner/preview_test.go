// SPDX-License-Identifier: Apache-2.0

package tuner

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse/cache"
	"example.org/spmvtune/tuner/matrix"
	"example.org/spmvtune/tuner/search"
	"example.org/spmvtune/tuner/trial"
)

// A preview counts what is left to do, once for matrices of the same content.
func TestPreview(t *testing.T) {
	sweep := testSweep(101, 102, 103)
	rec := &memory{}
	runTest(t, testSweep(101), rec, Options{})
	same := sweep.Matrices[0]
	same.Name = "same"
	sweep.Matrices = append(sweep.Matrices, same, configs.Matrix{Name: "gone", Path: "no/such/file.mtx"})
	_, plans, failed, err := Preview(t.Context(), sweep, rec, Options{Launch: testLauncher})
	testkit.Succeed(t, err)
	testkit.Require(t, len(plans) == 2 && len(failed) == 1, "%d plans, failures %v", len(plans), failed)
	p := plans[0]
	testkit.Check(t, p.Trials == 3 && p.Finished == 1 && p.Time >= 2*50*time.Microsecond*6,
		"%d trials, %d finished, %s", p.Trials, p.Finished, p.Time)
	if p := plans[1]; p.Duplicate == nil || p.Trials != 0 || p.Time != 0 {
		t.Errorf("of the duplicate: %+v", p)
	}
}

// A preview keeps no matrix that it reads, and does not make a large one.
func TestPreviewMakesLittle(t *testing.T) {
	folder := t.TempDir()
	t.Setenv(cache.Env, folder)
	file := filepath.Join(t.TempDir(), "tiny.mtx")
	testkit.Succeed(t, os.WriteFile(file, []byte("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 3\n"), 0o666))
	sweep := testSweep(101, 102)
	sweep.Matrices = []configs.Matrix{
		{Name: "tiny", Path: file, Expand: true},
		{Name: "large", Generate: "uniform", Args: map[string]any{"rows": int64(2e7), "cols": int64(1e6), "row_nnz": int64(50)}},
	}
	var told []string
	opt := Options{Launch: testLauncher, Planning: func(matrix string, done, of int) {
		told = append(told, fmt.Sprint(matrix, done, of))
	}}
	_, plans, failed, err := Preview(t.Context(), sweep, &memory{}, opt)
	testkit.Require(t, err == nil && len(failed) == 0 && len(plans) == 2, "%v %v %v", plans, failed, err)
	p := plans[0]
	testkit.Check(t, !p.Announced && p.Trials == 2 && p.Matrix.Hash != "", "of the small one: %+v", p)
	if p := plans[1]; !p.Announced || p.Trials != 2 || p.Finished != 0 || p.Matrix.Features.Nonzeros != 1e9 ||
		p.Left() < time.Minute {
		t.Errorf("of the large one: %+v", p)
	}
	kept := testkit.Must(cache.At(folder).List())
	testkit.Check(t, len(kept) == 0, "it keeps %v", kept)
	one := testkit.Must(newPreviewer(t.Context(), sweep, &memory{}, opt))
	defer one.close()
	testkit.Succeed(t, one.worker(t.Context()))
	one.made = mostMadeAll - 3*perMade/2 // so much that it makes only one more, however small they are
	first := testkit.Must(one.preview(t.Context(), sweep.Matrices[0]))
	second := testkit.Must(one.preview(t.Context(), sweep.Matrices[0]))
	testkit.Check(t, !first.Announced && second.Announced, "after many: %+v, %+v", first, second)
	testkit.EqualLists(t, told, []string{"tiny0 2", "large1 2"}, "it tells")
}

// A generated matrix that was measured is known by its results, under the same arguments only.
func TestKnownByResults(t *testing.T) {
	t.Setenv(cache.Env, "off")
	spec := configs.Matrix{Name: "one", Generate: "diagonal", Args: map[string]any{"n": int64(7)}}
	m := matrix.Named(spec)
	m.Hash = "h"
	p := previewer{recorded: map[string]trial.Matrix{"one": m}}
	found, known := p.known(spec)
	testkit.Check(t, known && found.Hash == "h", "%+v, %v", found, known)
	spec.Args = map[string]any{"n": int64(8)}
	if _, known := p.known(spec); known {
		t.Error("it is known with other arguments")
	}
}

// A search takes a part of the time of a grid, not less than a sample of everything, and nothing once it is over.
func TestPreviewOfASearch(t *testing.T) {
	sweep := testSweep(101, 102, 103, 104, 105, 106)
	rec := &memory{}
	preview := func() Estimate {
		_, plans, _, err := Preview(t.Context(), sweep, rec, Options{Launch: testLauncher})
		testkit.Succeed(t, err)
		return plans[0]
	}
	grid := preview()
	sweep.Search.Strategy = "racing"
	before := preview()
	testkit.Check(t, before.AtMost && before.Trials >= 6 && before.Finished == 0,
		"before: at most is %v, %d trials, %d finished", before.AtMost, before.Trials, before.Finished)
	runTest(t, sweep, rec, Options{})
	after := preview()
	testkit.Check(t, !after.AtMost && after.Finished == after.Trials && after.Finished != 0,
		"after: at most is %v, %d trials, %d finished", after.AtMost, after.Trials, after.Finished)
	testkit.Check(t, before.Time > grid.Time/2 && before.Time < grid.Time && after.Time == 0,
		"it takes %s before and %s after, and a grid %s", before.Time, after.Time, grid.Time)
}

// The guess contains what surrounds the samples: flushes, and the work of the
// host on a matrix whose product is fast.
func TestGuess(t *testing.T) {
	size := trial.Size{Rows: 1e6, Cols: 1e6, Nonzeros: 5e6}
	p := configs.Protocol{Warmup: 1, Samples: [2]int{10, 10}, Target: 0.1, Budget: time.Minute}
	dev := kernels.Device{Backend: "cuda", Cache: 50e6}
	guess := func(size trial.Size, precision kernels.Precision, cache trial.Cache, p configs.Protocol,
		dev kernels.Device) time.Duration {
		one := trial.Trial{Config: kernels.Config{Precision: precision}, Cache: cache}
		return seconds(trialTime(streamed(size, precision, dev), size, one, p, dev))
	}
	warm := guess(size, kernels.Float64, trial.Warm, p, dev)
	few := trial.Size{Rows: 1, Cols: 1, Nonzeros: 1}
	small := guess(few, kernels.Float64, trial.Warm, p, dev)
	testkit.Check(t, warm >= small+300*time.Microsecond,
		"%s for a trial of a million rows; %s for one of one", warm, small)
	cold := guess(size, kernels.Float64, trial.Cold, p, dev)
	testkit.Check(t, cold >= warm+500*time.Microsecond, "%s cold, with ten flushes of 100 MB; %s warm", cold, warm)
	assumed := kernels.Device{Backend: "cuda"} // which says nothing of its cache
	cold = guess(size, kernels.Float64, trial.Cold, p, assumed)
	testkit.Check(t, cold >= warm+500*time.Microsecond, "%s cold on a GPU that is assumed; %s warm", cold, warm)
	small = guess(few, kernels.Float32, trial.Warm, p, dev)
	testkit.Check(t, small >= 1100*time.Microsecond,
		"%s for a trial that is nothing but ten samples, a warm-up and what surrounds them", small)
	fine := p
	fine.Target, fine.Budget = 0.01, 4*time.Millisecond
	small = guess(few, kernels.Float32, trial.Warm, fine, dev)
	testkit.Check(t, small >= guess(few, kernels.Float32, trial.Warm, p, dev)+time.Millisecond,
		"%s for samples of so many products that the clock does not matter", small)
	dev.Backend, p.Budget = "cpu", time.Second
	long := guess(size, kernels.Float64, trial.Cold, p, dev)
	testkit.Check(t, long <= 1200*time.Millisecond, "%s with a budget of a second", long)
	fine.Budget, fine.Samples[1] = time.Minute, 100
	long = guess(size, kernels.Float64, trial.Warm, fine, dev)
	testkit.Check(t, long >= 500*time.Millisecond, "%s for a target of 1%% that a processor does not reach", long)
}

// A preview ends when the user asks for it, also while it plans a later matrix.
func TestInterruptedPreview(t *testing.T) {
	sweep := testSweep(101)
	sweep.Matrices = append(sweep.Matrices, sweep.Matrices[0])
	for _, asked := range []int{0, 1} {
		ctx, cancel := context.WithCancel(t.Context())
		rec := &interrupting{after: asked, cancel: cancel}
		rec.done()
		if _, _, _, err := Preview(ctx, sweep, rec, Options{Launch: testLauncher}); !errors.Is(err, context.Canceled) {
			t.Errorf("interrupted at matrix %d: error %v", asked, err)
		}
	}
}

// An interrupting recorder ends a preview once it was asked about so many matrices.
type interrupting struct {
	memory
	asked, after int
	cancel       context.CancelFunc
}

func (i *interrupting) done() {
	if i.asked == i.after {
		i.cancel()
	}
}

func (i *interrupting) Recorded(ctx context.Context, ids []string, d trial.Detail) (map[string]trial.Record, error) {
	i.asked++
	i.done()
	return i.memory.Recorded(ctx, ids, d)
}

// Repeat runs that a killed run did not come to are counted.
func TestPreviewOfMissingRepeats(t *testing.T) {
	for _, sweep := range []*configs.Sweep{finalsSweep(), spreadSweep()} {
		rec := &memory{}
		runTest(t, sweep, rec, Options{})
		finals, spreads := rec.finals, rec.spreads
		testkit.Require(t, len(finals)+len(spreads) >= 3, "%d finals and %d spreads", len(finals), len(spreads))
		for _, missing := range []int{0, 1, 3} {
			rec.finals = finals[:max(0, len(finals)-missing)]
			rec.spreads = spreads[:max(0, len(spreads)-missing)]
			_, plans, _, err := Preview(t.Context(), sweep, rec, Options{Launch: testLauncher})
			testkit.Succeed(t, err)
			p := plans[0]
			testkit.Check(t, p.Finished == p.Trials && p.Repeats == missing && (p.Time > 0) == (missing > 0),
				"%d are missing: %d repeat runs in %s", missing, p.Repeats, p.Time)
		}
	}
}

// librarian is a memory that knows its matrices.
type librarian struct{ *memory }

func (l librarian) Library(context.Context) (map[string]trial.Matrix, error) {
	library := map[string]trial.Matrix{}
	for _, m := range l.matrices {
		library[m.Name] = m
	}
	return library, nil
}

// When the first trial begins, a run tells what is ahead: without what is measured already, with matrices that it has
// not loaded yet, and nothing of a matrix that it can't know.
func TestRunTellsWhatIsAhead(t *testing.T) {
	t.Setenv(cache.Env, t.TempDir())
	rec := librarian{&memory{}}
	sweep := testSweep(101, 102, 103)
	sweep.Matrices[0].Name = "measured"
	runTest(t, sweep, rec, Options{})

	add := func(name string, nx int64) {
		sweep.Matrices = append(sweep.Matrices, configs.Matrix{Name: name, Generate: "grid_5pt", Expand: true,
			Args: map[string]any{"nx": nx, "ny": int64(5)}})
	}
	sweep = testSweep(101, 102, 103)
	sweep.Matrices[0].Name = "measured"
	add("half", 8)
	half := testSweep(101)
	half.Matrices = sweep.Matrices[1:]
	runTest(t, half, rec, Options{})
	add("large", 4000)
	sweep.Matrices = append(sweep.Matrices, configs.Matrix{Name: "gone", Path: filepath.Join(t.TempDir(), "gone.mtx")})

	var told [][]Estimate
	runTest(t, sweep, rec, Options{Observe: func(e Event) {
		if e.Ahead != nil {
			told = append(told, e.Ahead)
		}
		testkit.Check(t, e.Result == nil || told != nil, "a trial ends before anything is expected")
	}})
	testkit.Require(t, len(told) == 1 && len(told[0]) == 2, "expected is %+v", told)
	if e := told[0][0]; e.Matrix.Name != "half" || e.Trials != 3 || e.Finished != 1 || e.Time <= 0 {
		t.Errorf("of the first: %+v", e)
	}
	if e := told[0][1]; e.Matrix.Name != "large" || e.Trials != 3 || e.Finished != 0 || e.Time < told[0][0].Time+time.Millisecond {
		t.Errorf("of the large one: %+v", e)
	}

	told = nil
	runTest(t, sweep, rec, Options{Observe: func(e Event) {
		testkit.Check(t, e.Ahead == nil && e.Result == nil, "nothing is left, but it tells %+v", e)
	}})
}

// foreseen returns what a run expects, by matrix, and how it ends.
func foreseen(t *testing.T, sweep *configs.Sweep, rec Recorder, opt Options) (map[string]Estimate, error) {
	t.Helper()
	var mu sync.Mutex
	told := map[string]Estimate{}
	opt.Observe = func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		for _, one := range e.Ahead {
			told[one.Matrix.Name] = one
		}
	}
	backend := "cpu"
	if slices.Equal(sweep.Kernels[0].Kernels, []string{"csr_scalar"}) {
		backend = "cuda"
	}
	opt.Launch = launcher(backend)
	_, err := Run(t.Context(), sweep, rec, opt)
	return told, err
}

// A rule is asked once about each matrix, when its turn comes. Until then as many trials are expected as it names.
func TestRuleIsAskedOnce(t *testing.T) {
	t.Setenv(cache.Env, t.TempDir())
	sweep := testSweep(101, 102, 103, 104)
	other := sweep.Matrices[0]
	other.Name, other.Args = "other", map[string]any{"nx": int64(9), "ny": int64(5)}
	sweep.Matrices = append(sweep.Matrices, other)
	sweep.Search.Strategy, sweep.Search.Top = search.Rule, 2
	asked := map[string]int{}
	told := testkit.Must(foreseen(t, sweep, librarian{&memory{}}, Options{Choose: func(_ kernels.Device, m trial.Matrix, _ trial.Cache,
		among []kernels.Config) ([]kernels.Config, error) {
		asked[m.Name]++
		return among[:2], nil
	}}))
	testkit.Check(t, asked["grid"] == 1 && asked["other"] == 1, "asked %v", asked)
	e := told["other"]
	testkit.Check(t, e.Trials == 2 && e.Time > 0, "expected %+v", told)
}

// What other devices are at is ahead, too.
func TestOtherDevicesAreAhead(t *testing.T) {
	t.Setenv(cache.Env, t.TempDir())
	var loaded sync.WaitGroup
	loaded.Add(2)
	told := testkit.Must(foreseen(t, several(3, 0, 1), newMeeting(2), Options{Accept: func(m trial.Matrix) error {
		if m.Name != "grid0" {
			loaded.Done()
			loaded.Wait()
		}
		return nil
	}}))
	for _, name := range []string{"grid0", "grid1", "grid2"} {
		e := told[name]
		testkit.Check(t, e.Trials == 5 && e.Time >= time.Microsecond, "of %s: %+v", name, e)
	}
}

// Of a matrix without a size, nothing is expected.
func TestNothingIsExpectedWithoutSize(t *testing.T) {
	sweep := missingSweep(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
	slices.Reverse(sweep.Matrices)
	told, err := foreseen(t, sweep, &memory{}, Options{})
	_, is := told["alone"]
	testkit.Check(t, err == nil && !is && len(told) == 2, "expected %+v, error %v", told, err)
}

// A matrix that can't be planned ends the run when its turn comes, and not before the first trial.
func TestEstimateEndsNoRun(t *testing.T) {
	t.Setenv(cache.Env, t.TempDir())
	sweep := testSweep(101, 102)
	sweep.Kernels[0].Where = "block % (rows - 40) >= 0"
	other := sweep.Matrices[0]
	other.Name, other.Args = "other", map[string]any{"nx": int64(8), "ny": int64(5)}
	sweep.Matrices = append(sweep.Matrices, other)
	rec := &memory{}
	told, err := foreseen(t, sweep, rec, Options{})
	testkit.Check(t, err != nil && strings.Contains(err.Error(), "planning other") && len(rec.results) == 2 &&
		len(told) == 1, "%d results, expected %+v, error %v", len(rec.results), told, err)
}
