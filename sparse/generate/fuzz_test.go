package generate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// anything draws arguments within the bounds that a generator declares, small ones, the least and
// the largest more often than others.
func anything(g *Generator, r *rand.Rand) map[string]any {
	args := map[string]any{}
	for _, a := range g.Args {
		x := a.Min + math.Expm1(r.Float64()*math.Log1p(min(a.Max-a.Min, math.Pow(10, float64(r.IntN(7))))))
		switch k := r.IntN(12); {
		case a.Kind == Text:
			args[a.Name] = a.Choices[r.IntN(len(a.Choices))]
			continue
		case k == 0 && !a.Required:
			continue
		case k == 1:
			x = a.Min
		case k == 2:
			x = a.Max
		}

		if a.Kind == Int {
			x = math.Floor(x)
		}
		args[a.Name] = x
	}
	return args
}

// FuzzBuild plans whatever arguments the generators take, and builds the matrices that are small.
func FuzzBuild(f *testing.F) {
	for k := range Generators {
		for seed := range 20 {
			f.Add(uint8(k), uint64(seed))
		}
	}
	f.Fuzz(func(t *testing.T, k uint8, seed uint64) {
		g := Generators[int(k)%len(Generators)]
		args := anything(&g, rand.New(rand.NewPCG(seed, 0)))
		spec, p := Spec(g.Name, args), promised[g.Name]
		size, err := Plan(g.Name, args)
		if err != nil {
			return
		}
		if size.Rows < 0 || size.Cols < 0 || size.NNZ < 0 {
			t.Fatalf("%s: planned %+v", spec, size)
		}

		const most = 5000
		large := func(a Arg) bool { // points of which cameras make few rows
			x, _ := args[a.Name].(float64)
			return x > 10*most && a.Name != "seed"
		}
		if size.Rows > most || size.Cols > most || size.NNZ > 10*most || slices.ContainsFunc(g.Args, large) {
			return
		}
		m := build(t, g.Name, args)
		wellFormed(t, spec, m)
		if size.Rows != m.Rows || size.Cols != m.Cols || p.nnz == exact && size.NNZ != m.NNZ() ||
			p.nnz == atMost && size.NNZ < m.NNZ() {
			t.Fatalf("%s: planned %+v, made %v", spec, size, m)
		}
		if p.symmetric {
			symmetric(t, spec, m)
		}
	})
}
