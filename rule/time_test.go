// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"math"
	"math/rand/v2"
	"testing"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/kernels"
)

// Times that are sums of terms are found again, on matrices that taught nothing too, and the configuration that is
// slower loses by as much as lost says of small losses.
func TestTimesAreSumsOfTerms(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	var obs []Observation
	all := terms(kernels.Float32.Bytes())
	factors := map[string][]float64{"a": {3e-6, 0, 2e-6, 0, 0, 0, 1e-11, 0, 0, 0, 0}, "b": {2e-6, 0, 0, 0, 1e-11, 0, 0, 2e-11, 0, 0, 0}}
	seconds := func(kernel string, f *Subject) (sum float64) {
		for i, factor := range factors[kernel] {
			sum += factor * all[i].Of(f.value)
		}
		return sum
	}
	lab := Hardware{Cache: 1 << 22, Warps: 100}
	for i := range 120 {
		f := randomFeatures(rng)
		for kernel := range factors {
			o := observe("m"+string(rune('A'+i)), f, config(kernel, 32, 1), 1)
			o.Hardware = lab
			o.Seconds = seconds(kernel, &Subject{Features: o.Features, Hardware: lab})
			o.Low, o.High = o.Seconds, o.Seconds
			obs = append(obs, o)
		}
	}
	tab := tableOf(t, obs)
	times := newLearner(tab, DefaultOptions, lists.Indices(60)).times(lists.Indices(60), lists.Indices(2))
	for m := range tab.names {
		f, want := &tab.facts[m], [2]float64{}
		for c, config := range tab.configs {
			want[c] = seconds(config.Kernel, f)
			if got := times[c].Of(f.value); math.Abs(got/want[c]-1) > 0.05 {
				t.Errorf("%s, %s: %v s, want %v", tab.names[m], config.Kernel, got, want[c])
			}
		}
		for c, x := range slower(times, f) {
			if want := Trusted * (1 - min(want[0], want[1])/want[c]); math.Abs(x-want) > 0.03 {
				t.Errorf("%s, %s: it loses %v, want %v", tab.names[m], tab.configs[c].Kernel, x, want)
			}
		}
	}
}
