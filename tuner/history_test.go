package tuner

import (
	"context"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

// A historian is a recorder that knows the past.
type historian []past

type past struct {
	trial.Result
	trial.Size
}

func (h historian) History(_ context.Context, _ kernels.Device, each func(trial.Result, trial.Size)) error {
	for _, p := range h {
		each(p.Result, p.Size)
	}
	return nil
}

func (h historian) history(t *testing.T, p configs.Protocol, dev kernels.Device) history {
	t.Helper()
	known, err := readHistory(t.Context(), &struct {
		*memory
		historian
	}{historian: h}, p, dev)
	if err != nil {
		t.Fatal(err)
	}
	return known
}

// Times come from the nearest configuration on the same matrix, and else from other
// matrices in proportion to their bytes.
func TestHistory(t *testing.T) {
	small := trial.Size{Rows: 1000, Cols: 1000, Nonzeros: 10_000}
	large := trial.Size{Rows: 4000, Cols: 4000, Nonzeros: 40_000}
	of := func(matrix, kernel string, block int) trial.Trial {
		return trial.Trial{Matrix: matrix, Config: kernels.Config{Kernel: kernel, Precision: kernels.Float32, Block: block,
			Grid: 1}, Cache: trial.Warm}
	}
	h := historian{
		{trial.Result{Trial: of("a", "k", 32), Median: 1e-3}, small},
		{trial.Result{Trial: of("a", "k", 256), Median: 5e-3}, small},
		{trial.Result{Trial: of("b", "k", 128), Median: 4e-3}, small},
	}.history(t, configs.DefaultProtocol, kernels.Device{})
	for _, tt := range []struct {
		trial trial.Trial
		size  trial.Size
		want  float64
		same  bool
	}{
		{of("a", "k", 64), small, 1e-3, true},
		{of("a", "k", 128), small, 5e-3, true},
		{of("new", "k", 32), large, 8e-3, false}, // √(1·4) ms, four times as much
		{of("a", "other", 32), small, 0, false},
	} {
		got, same := h.product(tt.trial, tt.size)
		if math.Abs(got-tt.want) > 0.01*tt.want || same != tt.same {
			t.Errorf("%s on %s: %g s, same matrix %t, want %g, %t", tt.trial.Config, tt.trial.Matrix, got, same, tt.want,
				tt.same)
		}
	}
}

// How near a configuration is counts the doublings of block and grid, as one and a half other
// parameters, and as three another cache state.
func TestNearest(t *testing.T) {
	var wanted trial.Trial
	wanted.Block, wanted.Grid, wanted.Cache = 64, 8, trial.Warm
	params, cold := wanted, wanted
	params.Params, cold.Cache = "sort=4", trial.Cold
	for _, c := range []struct {
		block, grid  int  // of what is measured with the same parameters, in the same cache state
		params, cold bool // whether what differs in nothing but that is nearer
	}{
		{32, 8, false, false}, {64, 16, false, false},
		{16, 8, true, false}, {64, 2, true, false}, {128, 4, true, false},
		{12, 8, true, false}, {7, 8, true, true}, {128, 1, true, true},
	} {
		doubled := wanted
		doubled.Block, doubled.Grid = c.block, c.grid
		of := func(t trial.Trial, median float64) trial.Result { return trial.Result{Trial: t, Median: median} }
		for name, tt := range map[string]struct {
			other  trial.Trial
			nearer bool
		}{"parameters": {params, c.params}, "cache": {cold, c.cold}} {
			for _, list := range [][]trial.Result{{of(doubled, 1), of(tt.other, 2)}, {of(tt.other, 2), of(doubled, 1)}} {
				if got := nearest(wanted, list).Median == 2; got != tt.nearer {
					t.Errorf("block %d, grid %d: that with other %s is nearer: %t", c.block, c.grid, name, got)
				}
			}
		}
	}
}

// Trials take as much longer than the model says as they did on the same matrix, and else
// as on most; the same each time, in whatever order they are recorded.
func TestHistoryOfTime(t *testing.T) {
	size, dev, p := trial.Size{Rows: 1000, Cols: 1000, Nonzeros: 7000}, kernels.Device{}, configs.DefaultProtocol
	of := func(matrix string) trial.Trial {
		return trial.Trial{Matrix: matrix, Config: kernels.Config{Kernel: "k", Precision: kernels.Float32}, Cache: trial.Warm}
	}
	model := trialTime(1e-3, size, of(""), p, dev)
	var list historian
	for m, factor := range []float64{1.5, 2, 8} {
		for range 3 {
			r := trial.Result{Trial: of(strconv.Itoa(m)), Median: 1e-3, Seconds: factor * model}
			list = append(list, past{r, size})
		}
	}
	list = append(list,
		past{trial.Result{Trial: of("0"), Median: 1e-3, Seconds: 100 * model}, size}, // slow for once
		past{trial.Result{Trial: of("0"), Median: 1e-3}, size})                       // how long it took is not known
	for range 20 {
		h := list.history(t, p, dev)
		for matrix, want := range map[string]float64{"0": 1.5, "2": 8, "new": 2} {
			got, _ := newEstimate(p, dev, size, h).full(of(matrix))
			if math.Abs(got-want*model) > 1e-9 {
				t.Errorf("a trial on matrix %s takes %g s, want %g", matrix, got, want*model)
			}
		}
		rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
}
