package rule

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// As many matrices, classes and configurations as the shipped corpus has, in one
// precision, with everything that learn does.
func BenchmarkLearnAndEvaluate(b *testing.B) {
	rng := rand.New(rand.NewPCG(41, 42))
	obs := corpus(rng, 430)
	obs = slices.DeleteFunc(obs, func(o Observation) bool { return o.Config.Block > 64 && o.Config.Grid > 2 })
	for i := range obs {
		obs[i].Class = fmt.Sprint("class", obs[i].Features.Cols%23)
	}

	opt := DefaultOptions
	opt.Ensemble = true
	for b.Loop() {
		r, err := Learn(b.Context(), obs, opt)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := Evaluate(b.Context(), r, obs, opt); err != nil {
			b.Fatal(err)
		}
	}
}
