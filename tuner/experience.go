package tuner

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/tuner/trial"
	"spmvtune/tuner/worker"
)

// A Timing is what is recorded of a trial that went well.
type Timing struct {
	Matrix string // its hash
	Size   trial.Size
	kernels.Config
	Cache   trial.Cache
	Median  float64 // seconds of a product
	Samples int
	Batch   int     // products per sample
	Seconds float64 // that it took in all; 0: not known
}

// Experienced is a recorder that knows what trials took on a device.
type Experienced interface {
	Timings(ctx context.Context, dev kernels.Device) ([]Timing, error)
}

// experience is what was measured on a device.
type experience struct {
	timings map[point]map[string][]Timing // by kernel and precision and then matrix
	around  surroundings
}

// learn asks a recorder, which may be nil or know nothing.
func learn(ctx context.Context, rec Recorder, p configs.Protocol, dev kernels.Device) (experience, error) {
	known, ok := rec.(Experienced)
	if !ok {
		return newExperience(nil, p, dev), nil
	}
	list, err := known.Timings(ctx, dev)
	if err != nil {
		return experience{}, fmt.Errorf("asking what trials took: %w", err)
	}
	return newExperience(list, p, dev), nil
}

func newExperience(list []Timing, p configs.Protocol, dev kernels.Device) experience {
	e := experience{timings: map[point]map[string][]Timing{}, around: newSurroundings(list, p, dev)}
	for _, t := range list {
		at := point{kernel: t.Kernel, precision: t.Precision}
		if e.timings[at] == nil {
			e.timings[at] = map[string][]Timing{}
		}
		e.timings[at][t.Matrix] = append(e.timings[at][t.Matrix], t)
	}
	return e
}

// product is about how long a product takes, in seconds, and whether the kernel was
// measured on this matrix; 0 if nothing is known of the kernel.
//
// On the same matrix it is the time of the nearest configuration. Otherwise it is the
// geometric mean over the matrices that are known, in proportion to their bytes, which
// is no better than a guess: how a kernel takes to a structure is what sweeps are for.
func (e experience) product(t trial.Trial, size trial.Size) (seconds float64, same bool) {
	matrices := e.timings[point{kernel: t.Kernel, precision: t.Precision}]
	if list := matrices[t.Matrix]; len(list) > 0 {
		return nearest(t, list).Median, true
	}
	logs := 0.0
	for _, matrix := range slices.Sorted(maps.Keys(matrices)) { // in order, for the same sum each time
		n := nearest(t, matrices[matrix])
		logs += math.Log(n.Median * bytesOf(size, t.Precision) / bytesOf(n.Size, t.Precision))
	}
	if len(matrices) == 0 {
		return 0, false
	}
	return math.Exp(logs / float64(len(matrices))), false
}

// nearest is the timing whose block and grid are the fewest doublings away; other
// parameters count as one and a half, another cache state as three.
func nearest(t trial.Trial, list []Timing) Timing {
	best, least := list[0], math.Inf(1)
	params := t.Params.String()
	for _, o := range list {
		d := doublings(t.Block, o.Block) + doublings(t.Grid, o.Grid)
		if params != o.Params.String() {
			d += 1.5
		}
		if t.Cache != o.Cache {
			d += 3
		}
		if d < least {
			best, least = o, d
		}
	}
	return best
}

func doublings(a, b int) float64 { return math.Abs(math.Log2(float64(max(a, 1)) / float64(max(b, 1)))) }

// bytes is what a product moves at least, in CSR.
func bytesOf(s trial.Size, p kernels.Precision) float64 {
	v := p.Bytes()
	return float64(max((4+v)*s.Nonzeros+(4+v)*s.Rows+v*s.Cols, 1))
}

// usual is how many samples a trial takes that reaches its target, as most do: on an
// H100 13 to 17, with 7 to 10 as the fewest.
const usual = 16

// foresee is about how long a trial takes whose product takes so many seconds: the
// samples that are usual and fit the budget, with their warm-up and flushes, and what
// surrounds them.
func (e experience) foresee(product float64, size trial.Size, t trial.Trial, p configs.Protocol, dev kernels.Device) float64 {
	sample := product
	if t.Cache == trial.Cold {
		sample += flush(dev)
	} else if product < worker.ShortestSample {
		sample = worker.ShortestSample
	}
	n := min(max(usual, p.Samples[0]), p.Samples[1])
	n = max(p.Samples[0], min(n, int(p.Budget.Seconds()/sample)))
	return float64(p.Warmup+n)*sample + worker.Verifications*product + e.around.of(t, size, dev)
}
