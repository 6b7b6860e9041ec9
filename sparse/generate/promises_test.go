package generate

import (
	"maps"
	"math"
	"math/rand/v2"
)

// A promise is what holds for all matrices of a generator.
type promise struct {
	draw      func(r *rand.Rand) map[string]any // small random arguments
	nnz       string                            // what the planned nonzeros are
	symmetric bool
	values    string // what they are if not random
	fixed     bool   // the seed does not change the columns
}

const (
	exact  = "exact"
	atMost = "at most"
	ones   = "1"
	own    = "the generator's own"
)

var promised = joined(promisedClassics, promisedStructures(), promisedApplications)

func joined[V any](parts ...map[string]V) map[string]V {
	all := map[string]V{}
	for _, part := range parts {
		maps.Copy(all, part)
	}
	return all
}

func promisedStructures() map[string]promise {
	promises := map[string]promise{}
	for name, c := range structured {
		p := promise{draw: func(r *rand.Rand) map[string]any { return drawStructure(name, r) }}
		p.symmetric, p.fixed = c.symmetric, c.fixed
		if c.exact {
			p.nnz = exact
		}
		if name == "delaunay_rcm" {
			p.values = ones
		}
		promises[name] = p
	}
	return promises
}

var promisedClassics = map[string]promise{
	"grid_5pt": {nnz: exact, symmetric: true, values: own, draw: func(r *rand.Rand) map[string]any {
		return map[string]any{"nx": 1 + r.IntN(40), "ny": 1 + r.IntN(40)}
	}},
	"grid_blocks": {nnz: exact, symmetric: true, fixed: true, draw: func(r *rand.Rand) map[string]any {
		return map[string]any{"nx": 1 + r.IntN(20), "ny": 1 + r.IntN(20), "dof": 1 + r.IntN(6), "seed": r.IntN(1000)}
	}},
	"triangular": {nnz: exact, values: own, draw: func(r *rand.Rand) map[string]any {
		return map[string]any{"nx": 1 + r.IntN(40), "ny": 1 + r.IntN(40)}
	}},
	"delaunay": {nnz: atMost, symmetric: true, values: ones, draw: func(r *rand.Rand) map[string]any {
		return map[string]any{"points": 1 + r.IntN(1+r.IntN(3000)), "seed": r.IntN(1000)}
	}},
	"delaunay_shuffled": {nnz: atMost, symmetric: true, values: ones, draw: func(r *rand.Rand) map[string]any {
		return map[string]any{"points": 1 + r.IntN(1+r.IntN(3000)), "seed": r.IntN(1000)}
	}},
	"triangulation_dual": {nnz: exact, symmetric: true, values: ones, draw: func(r *rand.Rand) map[string]any {
		rows := 2 + r.IntN(1+r.IntN(3000))
		border := 4 + rows%2 + r.IntN(rows/2)*2
		return map[string]any{"rows": rows, "border": border * r.IntN(2), "seed": r.IntN(1000)}
	}},
	"mycielskian": {nnz: exact, symmetric: true, values: ones, draw: func(r *rand.Rand) map[string]any {
		return map[string]any{"order": 2 + r.IntN(8)}
	}},
	"rmat": {nnz: atMost, draw: func(r *rand.Rand) map[string]any {
		a, b := r.Float64(), r.Float64()
		return map[string]any{"scale": r.IntN(10), "edge_factor": r.Float64() * 20, "a": a, "b": (1 - a) * b,
			"c": (1 - a) * (1 - b) * r.Float64(), "symmetric": r.IntN(2), "seed": r.IntN(1000)}
	}},
	"uniform": {draw: func(r *rand.Rand) map[string]any {
		cols := r.IntN(600)
		density := []float64{0, 1, r.Float64(), r.Float64() / 50}[r.IntN(4)]
		return map[string]any{"rows": r.IntN(600), "cols": cols, "row_nnz": density * float64(cols),
			"seed": r.IntN(1000)}
	}},
	"fem_blocks": {symmetric: true, draw: func(r *rand.Rand) map[string]any {
		nodes, band := 1+r.IntN(300), 1+r.IntN(400)
		neighbours := r.Float64() * 1.8 * float64(min(nodes-1, band))
		return map[string]any{"nodes": nodes, "dof": 1 + r.IntN(6), "neighbours": neighbours, "band": band,
			"seed": r.IntN(1000)}
	}},
	"road": {nnz: atMost, symmetric: true, draw: func(r *rand.Rand) map[string]any {
		return map[string]any{"rows": 1 + r.IntN(1+r.IntN(3000)), "degree": 2.01 + r.Float64()*0.49,
			"seed": r.IntN(1000)}
	}},
	"twin": {draw: func(r *rand.Rand) map[string]any {
		t := twins[r.IntN(len(twins))]
		most := 1.0
		if t.nnz > 0 || t.name == "delaunay_n23" || t.name == "hugetrace-00000" {
			most = min(1, 20_000/float64(max(t.nnz, t.rows, 3_000_000)))
		}
		args := map[string]any{"of": t.name, "scale": max(1e-9, most*math.Pow(r.Float64(), 3)), "seed": r.IntN(1000)}
		if t.local != nil {
			args["locality"] = localities[r.IntN(2)]
		}
		return args
	}},
	"giant_row": {nnz: exact, draw: func(r *rand.Rand) map[string]any {
		n := 1 + r.IntN(800)
		return map[string]any{"rows": n, "row_nnz": r.IntN(min(n, 20) + 1), "giant": r.IntN(n + 1),
			"position": r.Float64(), "seed": r.IntN(1000)}
	}},
}
