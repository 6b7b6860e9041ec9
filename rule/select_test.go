// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
)

// A key may leave out what a rule has only one of. Who asks for what is not there reads what is.
func TestFind(t *testing.T) {
	r := &Rule{Models: []Model{
		{Key: Key{"x", kernels.Float32, "warm"}},
		{Key: Key{"x", kernels.Float32, "cold"}},
		{Key: Key{"y", kernels.Float32, "cold"}},
		{Key: Key{"y", kernels.Float64, "cold"}},
	}}
	for _, tt := range []struct {
		key   Key
		place int // of the model, or the error
		err   string
	}{
		{key: Key{"x", kernels.Float32, "cold"}, place: 1},
		{key: Key{"y", kernels.Float32, ""}, place: 2},
		{key: Key{"", kernels.Float64, ""}, place: 3},
		{key: Key{"", kernels.Float32, "warm"}, place: 0},
		{key: Key{"x", kernels.Float32, ""},
			err: "x, float32 is ambiguous; available: x, float32, warm cache; x, float32, cold cache"},
		{key: Key{"", kernels.Float64, "warm"}, err: "the rule has nothing for any device, float64, warm cache; available: " +
			"x, float32, warm cache; x, float32, cold cache; y, float32, cold cache; y, float64, cold cache"},
		{key: Key{"y", "", ""}, err: "the rule has nothing for y, no precision; available: "},
	} {
		s, err := r.Find(tt.key)
		switch {
		case tt.err == "" && (err != nil || s != &r.Models[tt.place]):
			t.Errorf("%+v: found %+v, %v; want number %d", tt.key, s, err, tt.place)
		case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
			t.Errorf("%+v: error is %v, want one with %q", tt.key, err, tt.err)
		}
	}
	_, err := new(Rule).Find(Key{Device: "x", Precision: kernels.Float32})
	testkit.Fails(t, err, "available: nothing", "an empty rule")
}

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
	s := &r.Models[0]
	for _, o := range obs {
		if o.Config.Kernel != "plain" {
			continue
		}
		for _, r := range []*Rule{r, treeOf(r)} {
			c := testkit.Must(r.Select(s.Key, *o.Features, Wanted{}))
			want := "sell_local"
			if o.Features.Cols > 1_000_000 {
				want = "plain"
			}
			testkit.Equal(t, c.Kernel, want, "on %s with %d columns", o.Matrix, o.Features.Cols)
			for _, ranked := range c.Shortlist {
				k := ranked.Kernel
				testkit.Check(t, k != "moody" && (k == "plain" || want != "plain"), "%s is on the shortlist of %s", k, o.Matrix)
			}
		}
	}
	for _, c := range s.Validation.Cases { // the moody one is the oracle where the columns are too many
		if want := map[bool]float64{true: 0.5, false: 1}[c.Choice.Kernel == "plain"]; c.Fraction < 0.99*want || c.Tree < 0.99*want {
			t.Errorf("%s is judged %v, its tree %v", c.Matrix, c.Fraction, c.Tree)
		}
		testkit.Check(t, c.SingleConfig <= 0.51, "the best single configuration on %s is at %v", c.Matrix, c.SingleConfig)
	}

	unknown := obs[0].Features
	f := *unknown
	f.Cols = sparse.Unknown
	c := testkit.Must(r.Select(s.Key, f, Wanted{}))
	testkit.Equal(t, c.Kernel, "plain", "without a number of columns, instead of %v", *c.Instead)
}

// A leaf without anything that is legal on a matrix keeps its choice: rules of other programs have such ones.
func TestNothingLegal(t *testing.T) {
	local := limitedConfig()
	f := Subject{Features: &sparse.Features{Cols: 1 << 30, Rows: 10, Nonzeros: 100}}
	leaf := &Node{Choice: &local}
	got := leaf.picks(&f)
	testkit.Check(t, len(got) == 1 && got[0] == local, "picks are %v", got)
	e := &Ensemble{Configs: []kernels.Config{local}, Base: []float64{0}}
	order, _ := e.rank(&f, 0)
	testkit.Equal(t, len(order), 1, "the ensemble's")
}

// The ensemble asks the matrix where features don't tell, and no longer than it has to; the tree does not.
func TestTheMatrixIsAsked(t *testing.T) {
	local, plain := limitedConfig(), kernels.Config{Kernel: "plain", Precision: kernels.Float32}
	asked := 0
	takes := func(yes bool) func(kernels.Config) bool {
		return func(c kernels.Config) bool {
			asked++
			return yes && c == local
		}
	}
	e := &Ensemble{Configs: []kernels.Config{plain, local, local}, Base: []float64{0.2, 0.1, 0.3}}
	s := &Model{Key: Key{Precision: kernels.Float32}, Root: &Node{Choice: &local, Next: []kernels.Config{plain}}, Ensemble: e}
	r := &Rule{Models: []Model{*s}}
	f := sparse.Features{Cols: 1 << 30, Rows: 10, Nonzeros: 100}
	for _, c := range []struct {
		takes      func(kernels.Config) bool
		want, tree string
		asked      int
	}{{nil, "plain", "plain", 0}, {takes(false), "plain", "plain", 1}, {takes(true), local.Kernel, "plain", 1}} {
		asked = 0
		got := testkit.Must(r.Select(s.Key, f, Wanted{Takes: c.takes, Top: 1}))
		testkit.Equal(t, got.Kernel, c.want, "chosen")
		testkit.Equal(t, asked, c.asked, "questions")
		if got.Tree != nil && got.Tree.Kernel != c.tree {
			t.Errorf("the tree chooses %s", got.Tree.Kernel)
		}
	}
}

// Matrices of an older database lack some features. As long as one does, the rule
// is learned without them, and says so.
func TestUnknownFeatures(t *testing.T) {
	rate := func(f sparse.Features) float64 { return float64(f.Nonzeros%7) / 7 }
	obs := world(rand.New(rand.NewPCG(1, 2)), 25, func(f sparse.Features) string {
		if rate(f) > 0.5 {
			return "a"
		}
		return "b"
	})

	for i := range obs {
		obs[i].Features.RowGini = rate(*obs[i].Features)
	}
	s := learn(t, obs, DefaultOptions).Models[0]
	testkit.Equal(t, s.Root.Feature, "row_gini", "learned to split on")

	testkit.Lacks(t, "warnings", strings.Join(s.Warnings, "\n"), "Not split on")

	for i := range obs {
		if obs[i].Matrix == obs[0].Matrix {
			obs[i].Features.RowGini = math.NaN()
		}
	}

	for i := range obs {
		obs[i].Hardware = Hardware{Warps: 8} // of a virtual machine that hides its cache
	}
	opt := DefaultOptions
	opt.Ensemble = true
	s = learn(t, obs, opt).Models[0]
	testkit.Check(t, !s.Root.used()["row_gini"], "a feature was used that is not known of all matrices")
	for _, name := range []string{"row_gini", "cache_share"} {
		testkit.Check(t, !slices.Contains(s.Ensemble.Features, name),
			"the ensemble asks for %s, which is not known of all matrices", name)
	}
	testkit.Says(t, "warnings", strings.Join(s.Warnings, "\n"), "not known of all matrices: row_gini.")
}

// A choice for a matrix of which too little is known goes by its sizes, or names what is not known.
func TestChoiceWithUnknownFeatures(t *testing.T) {
	of := func(feature string) *Node {
		return &Node{Feature: feature, Threshold: 10, Below: leafOf("below"), Above: leafOf("above")}
	}
	split := func(rows float64) *Node {
		return &Node{Feature: "rows", Threshold: rows, Below: of("row_gini"), Above: leafOf("above")}
	}
	f := sparse.UnknownFeatures()
	f.Rows, f.Cols, f.Nonzeros = 1000, 1000, 5000
	for name, c := range map[string]struct {
		model           Model
		chosen, unknown string
	}{
		"known":           {Model{Root: of("rows"), Sizes: of("row_gini")}, "above", ""},
		"known by sizes":  {Model{Root: of("row_gini"), Sizes: of("rows")}, "above", "row_gini"},
		"without sizes":   {Model{Root: of("row_gini")}, "", "row_gini"},
		"unknown to both": {Model{Root: of("row_gini"), Sizes: of("row_std")}, "", "row_std"},
		"not asked for":   {Model{Root: split(10)}, "above", ""},
		"asked for later": {Model{Root: split(1e4)}, "", "row_gini"},
	} {
		r := &Rule{Models: []Model{c.model}}
		got, err := r.Select(Key{}, f, Wanted{})
		unknown := got.Unknown
		if lacks := new(UnknownError); errors.As(err, &lacks) {
			unknown = lacks.Feature
		}
		if got.Config.Kernel != c.chosen || unknown != c.unknown || (err == nil) != (c.chosen != "") {
			t.Errorf("%s: chose %q, not known %q, error %v", name, got.Config.Kernel, unknown, err)
		}
	}
}

func leafOf(kernel string) *Node { return &Node{Choice: &kernels.Config{Kernel: kernel}} }
