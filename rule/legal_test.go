package rule

import (
	"fmt"
	"testing"

	"spmvtune/kernels"
	"spmvtune/sparse"
)

// limitedWorld has a kernel that is twice as fast as another, and fails where there are too many columns for it, on
// many matrices; and one that is as fast, and fails on as many for a reason that no feature tells.
func limitedWorld() []Observation {
	local := limitedConfig()
	var obs []Observation
	for m := range 60 {
		f := sparse.Features{Rows: 1000 + 10*m, Cols: 10_000, Nonzeros: 20_000 + m, RowMean: 20, RowMax: 30}
		if m%3 == 0 {
			f.Cols = 10_000_000
		}
		name := fmt.Sprintf("m%03d", m)
		fast := observe(name, f, local, 1e-6)
		fast.Failed = f.Cols > 1_000_000
		moody := observe(name, f, config("moody", 64, 1), 1e-6)
		moody.Failed = m%3 == 1
		obs = append(obs, fast, moody, observe(name, f, config("plain", 64, 1), 2e-6), observe(name, f, config("plain", 128, 1), 3e-6))
	}
	for i := range obs {
		obs[i].Class = fmt.Sprintf("class%d", i/4%9)
	}
	return obs
}

func limitedConfig() kernels.Config {
	k, _ := kernels.Lookup("sell_local")
	return kernels.Config{Kernel: k.Name, Precision: kernels.Float32, Block: 1024, Grid: 132,
		Params: k.Complete("x_kb=48")}
}

// A kernel whose limits features tell is chosen where it is legal, and another where it is not; one that fails
// where no feature tells is not even a runner-up.
func TestLimitsAreAskedWhenChoosing(t *testing.T) {
	obs := limitedWorld()
	opt := DefaultOptions
	opt.Ensemble = true
	r := learn(t, obs, opt)
	s := &r.Selectors[0]
	for _, o := range obs {
		if o.Config.Kernel != "plain" {
			continue
		}
		for _, accurate := range []bool{false, true} {
			c, err := r.SelectFor(s.Key(), *o.Features, Wanted{Accurate: accurate})
			if err != nil {
				t.Fatal(err)
			}
			want := "sell_local"
			if o.Features.Cols > 1_000_000 {
				want = "plain"
			}
			if c.Kernel != want {
				t.Errorf("on %s with %d columns %s is chosen", o.Matrix, o.Features.Cols, c.Kernel)
			}
			for _, ranked := range c.Shortlist {
				if k := ranked.Kernel; k == "moody" || k != "plain" && want == "plain" {
					t.Errorf("%s is on the shortlist of %s", k, o.Matrix)
				}
			}
		}
	}
	for _, c := range s.Validation.Cases { // the moody one is the oracle where the columns are too many
		if want := map[bool]float64{true: 0.5, false: 1}[c.Choice.Kernel == "plain"]; c.Fraction < 0.99*want || c.Ensemble < 0.99*want {
			t.Errorf("%s is judged %v, by the ensemble %v", c.Matrix, c.Fraction, c.Ensemble)
		}
		if c.SingleConfig > 0.51 {
			t.Errorf("the best single configuration on %s is at %v", c.Matrix, c.SingleConfig)
		}
	}

	unknown := obs[0].Features
	f := *unknown
	f.Cols = sparse.Unknown
	if c, err := r.SelectFor(s.Key(), f, Wanted{}); err != nil || c.Kernel != "plain" || c.Instead == nil {
		t.Errorf("without a number of columns %s is chosen instead of %v, %v", c.Kernel, c.Instead, err)
	}
}

// A leaf without anything that is legal on a matrix keeps its choice: rules of other programs have such ones.
func TestNothingLegal(t *testing.T) {
	local := limitedConfig()
	f := Subject{Features: &sparse.Features{Cols: 1 << 30, Rows: 10, Nonzeros: 100}}
	leaf := &Node{Choice: &local}
	if got := leaf.picks(&f); len(got) != 1 || got[0] != local {
		t.Errorf("picks are %v", got)
	}
	e := &Ensemble{Configs: []kernels.Config{local}, Base: []float64{0}}
	if got := e.best(&f); len(got) != 1 || got[0] != local {
		t.Errorf("the ensemble's are %v", got)
	}
}
