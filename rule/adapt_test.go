package rule

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spmvtune/kernels"
	"spmvtune/sparse"
)

// another is the same world on another device, on matrices of other names: kernel b is five times as
// slow as it was, and everything else twice as fast.
func another(rng *rand.Rand, matrices int, best func(sparse.Features) string) []Observation {
	obs := world(rng, matrices, best)
	for i := range obs {
		o := &obs[i]
		o.Device, o.Hardware, o.Matrix = "other", Hardware{Cache: 1 << 20, Warps: 64}, "new-"+o.Matrix
		factor := 0.5
		if o.Config.Kernel == "b" {
			factor = 2.5
		}
		o.Seconds, o.Low, o.High = o.Seconds*factor, o.Low*factor, o.High*factor
	}
	return obs
}

// A rule that was learned elsewhere is worth more after it has seen twenty matrices of the new
// device than before, and its times are those of the new device.
func TestAdapt(t *testing.T) {
	best := func(f sparse.Features) string {
		if f.RowMean <= 20 {
			return "a"
		}
		return "b"
	}
	rng := rand.New(rand.NewPCG(21, 22))
	opt := DefaultOptions
	opt.Ensemble = true
	r := learn(t, world(rng, 80, best), opt)
	other := another(rng, 80, best)

	list, err := r.Judge(other, opt)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != len(adaptBy) {
		t.Fatalf("judged %d times, want adapted by %v", len(list), adaptBy)
	}
	for _, way := range []Way{Learned, Boosted} {
		before, after := Summarise(list[0].Cases, way.Of).Mean, Summarise(list[2].Cases, way.Of).Mean
		if before > 0.6 || after < 0.9 {
			t.Errorf("%s: %.3f of the oracle before and %.3f after, want it bad before and good after", way.Name, before, after)
		}
	}

	adapted, err := r.Adapt(other, opt)
	if err != nil {
		t.Fatal(err)
	}
	s := adapted.Selectors[0]
	if s.Device != "other" || s.Hardware.Warps != 64 || !strings.Contains(strings.Join(s.Warnings, ""), "adapted to other by 80 matrices") {
		t.Errorf("adapted to %s with %+v, warnings %q", s.Device, s.Hardware, s.Warnings)
	}
	f := featuresOf(other, "new-m003")
	f.RowMean = 10
	was, err := r.Select(Key{Precision: "float32"}, f)
	if err != nil {
		t.Fatal(err)
	}
	is, err := adapted.Select(Key{Precision: "float32"}, f)
	if err != nil || is.Kernel != "a" || was.Forecast == nil || is.Forecast == nil {
		t.Fatalf("chooses %v, %+v and %+v (%v)", is.Config, was.Forecast, is.Forecast, err)
	}
	if ratio := is.Forecast.Seconds / was.Forecast.Seconds; ratio < 0.45 || ratio > 0.55 {
		t.Errorf("%v of the time is expected, want half", ratio)
	}
	if jsonOf(t, learn(t, world(rand.New(rand.NewPCG(21, 22)), 80, best), opt)) != jsonOf(t, r) {
		t.Error("adapting a rule changed it")
	}
}

// A rule is not judged on matrices that it was learned from, nor adapted by nothing.
func TestJudgeLeavesOutWhatTaught(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	obs := world(rng, 30, func(sparse.Features) string { return "a" })
	r := learn(t, obs, DefaultOptions)
	if _, err := r.Judge(obs, DefaultOptions); !errors.Is(err, ErrNoData) {
		t.Errorf("judged on its own matrices: %v", err)
	}
	if _, err := r.Adapt(nil, DefaultOptions); !errors.Is(err, ErrNoData) {
		t.Errorf("adapted by nothing: %v", err)
	}

	more := append(obs, another(rng, 9, func(sparse.Features) string { return "a" })...)
	for i := range more {
		more[i].Device = "lab"
	}
	list, err := r.Judge(more[:len(obs)+36], DefaultOptions)
	if err != nil || list[0].Taught != 30 || len(list[0].Cases) != 1 {
		t.Errorf("judged %+v (%v), want one matrix, and 30 left out", list, err)
	}
}

// taught is a rule, and the table of another device.
func taught(t *testing.T) (*Selector, *table) {
	rng := rand.New(rand.NewPCG(25, 26))
	best := func(f sparse.Features) string { return map[bool]string{true: "a", false: "b"}[f.RowMean <= 20] }
	opt := DefaultOptions
	opt.Ensemble = true
	r := learn(t, world(rng, 80, best), opt)
	_, groups := group(another(rng, 40, best))
	for _, g := range groups {
		other, _, err := newTable(g, opt)
		if err != nil {
			t.Fatal(err)
		}
		return &r.Selectors[0], other
	}
	panic("no group")
}

// Adapting by no matrices changes neither choices nor times, also where a runner-up was faster than the
// choice on half of the matrices.
func TestAdaptByNothing(t *testing.T) {
	s, other := taught(t)
	s.Root.eachLeaf(func(n *Node) { n.NextTimes = []float64{0.9}; n.Next = n.Next[:1] })
	c := s.adapted(s.Key(), other, nil)
	if !reflect.DeepEqual(c.Root, s.Root) || !reflect.DeepEqual(c.Sizes, s.Sizes) || !reflect.DeepEqual(c.Ensemble, s.Ensemble) {
		t.Error("adapting by nothing changed something")
	}
}

// What the new device has not run is not chosen for it where there is something else.
func TestAdaptToWhatWasRun(t *testing.T) {
	s, other := taught(t)
	nowhere := kernels.Config{Kernel: "nowhere", Precision: "float32"}
	s.Root.eachLeaf(func(n *Node) {
		n.Next, n.NextTimes = []kernels.Config{*n.Choice}, []float64{1.2}
		n.Choice = &nowhere
	})
	f := &other.facts[0]
	s.Ensemble.Configs[slices.Index(s.Ensemble.Configs, s.Ensemble.best(f)[0])] = nowhere

	c := s.adapted(s.Key(), other, indices(len(other.names)))
	c.Root.eachLeaf(func(n *Node) {
		if n.Choice.Kernel == "nowhere" {
			t.Errorf("a leaf chooses what was not run, before %v", n.Next)
		}
	})
	if got := c.Ensemble.best(f)[0].Kernel; got == "nowhere" {
		t.Error("the ensemble chooses what was not run")
	}
}
