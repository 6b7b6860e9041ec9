package worker

import (
	"math/rand/v2"
	"testing"
	"time"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

// scattering is a product of a millisecond whose samples scatter, independently of each
// other.
type scattering struct {
	kernels.Product
	rng   *rand.Rand
	sigma float64 // relative
}

func (p *scattering) Info() kernels.ProductInfo { return kernels.ProductInfo{} }

func (p *scattering) Sample(dst []float64, _ int, _ bool) error {
	for i := range dst {
		dst[i] = 1e-3 * (1 + p.sigma*p.rng.NormFloat64())
	}
	return nil
}

// An interval that is looked at after every batch, until it is narrow enough, covers the
// median less often than one of samples whose number is fixed. It may not be much less.
func TestCoverage(t *testing.T) {
	proto := configs.Protocol{Warmup: 1, Samples: [2]int{10, 200}, Target: 0.01, Budget: time.Hour}
	const trials = 3000
	for _, sigma := range []float64{0.005, 0.01, 0.02, 0.03, 0.05} {
		p := &scattering{rng: rand.New(rand.NewPCG(1, 2)), sigma: sigma}
		covered, samples := 0, 0
		for range trials {
			r := trial.Result{Trial: trial.Trial{Cache: trial.Cold}}
			if err := sample(p, nil, proto, 0, &r); err != nil {
				t.Fatal(err)
			}
			summarize(&r, 0)
			if r.Low <= 1e-3 && 1e-3 <= r.High {
				covered++
			}
			samples += len(r.Samples)
		}
		share := float64(covered) / trials
		t.Logf("deviation %.1f%%: %d samples on average, covered %.1f%%", 100*sigma, samples/trials, 100*share)
		if share < 0.925 {
			t.Errorf("deviation %.1f%%: the 95%% interval covers the median in %.1f%% of trials", 100*sigma, 100*share)
		}
	}
}
