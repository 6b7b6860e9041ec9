package rule

import (
	"math/rand/v2"
	"strings"
	"testing"

	"spmvtune/sparse"
)

// A rule without the kernel that is best chooses others, and is judged against what that kernel reaches.
func TestWithout(t *testing.T) {
	obs := world(rand.New(rand.NewPCG(8, 2)), 20, func(sparse.Features) string { return "b" })
	opt := DefaultOptions
	opt.Ensemble = true
	if v := learn(t, obs, opt).Selectors[0].Validation; v.Mean < 0.99 {
		t.Fatalf("with all kernels it reaches %v", v.Mean)
	}
	opt.Without = []string{"b"}
	s := learn(t, obs, opt).Selectors[0]
	if v := s.Validation; v.Mean < 0.65 || v.Mean > 0.68 || s.SingleKernel == "b" { // 1.5 times slower
		t.Errorf("without the best it reaches %v, and the best single kernel is %s; want two thirds", v.Mean, s.SingleKernel)
	}
	if f := Summarise(s.Validation.Cases, Boosted.Of); f.Mean > 0.68 {
		t.Errorf("without the best the ensemble reaches %v", f.Mean)
	}
	for _, c := range s.Ensemble.Configs {
		if c.Kernel == "b" {
			t.Errorf("the ensemble may choose %s", c)
		}
	}
	opt.Without = []string{"a", "b", "c"}
	if _, err := Learn(t.Context(), obs, opt); err == nil || !strings.Contains(err.Error(), "no kernel is left") {
		t.Errorf("without any kernel: %v", err)
	}
}
