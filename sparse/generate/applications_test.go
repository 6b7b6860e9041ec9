package generate

import (
	"math/rand/v2"
)

// skewed draws rows, columns and a mean row.
func skewed(r *rand.Rand) map[string]any {
	cols := 2 + r.IntN(600)
	return map[string]any{"rows": 1 + r.IntN(600), "cols": cols, "row_nnz": 1 + r.Float64()*(float64(cols)/2-1),
		"seed": r.IntN(1000)}
}

func layer(r *rand.Rand) map[string]any {
	return map[string]any{"rows": 1 + r.IntN(300), "cols": 2 + r.IntN(300), "density": 0.01 + 0.43*r.Float64(),
		"seed": r.IntN(1000)}
}

func scene(r *rand.Rand) map[string]any {
	track := 2 + r.IntN(6)
	return map[string]any{"points": 1 + r.IntN(200), "cameras": 2*track + r.IntN(40), "track": track,
		"seed": r.IntN(1000)}
}

var promisedApplications = map[string]promise{
	"bipartite":     {nnz: exact, draw: skewed},
	"term_document": {nnz: exact, draw: skewed},
	"sat": {draw: func(r *rand.Rand) map[string]any {
		return map[string]any{"rows": 1 + r.IntN(2000), "ratio": 0.2 + 5*r.Float64(), "long": r.Float64() * r.Float64(),
			"reach": r.Float64(), "seed": r.IntN(1000)}
	}},
	"latin_square": {nnz: exact, symmetric: true, values: ones, draw: func(r *rand.Rand) map[string]any {
		return map[string]any{"order": 1 + r.IntN(15)}
	}},
	"bundle_jacobian": {nnz: exact, draw: scene},
	"bundle_normal":   {nnz: exact, symmetric: true, draw: scene},
	"bundle_schur":    {symmetric: true, draw: scene},
	"kkt": {symmetric: true, draw: func(r *rand.Rand) map[string]any {
		row := 1 + r.IntN(8)
		return map[string]any{"unknowns": max(8, 4*row) + r.IntN(500), "constraints": r.Float64(), "row_nnz": row,
			"seed": r.IntN(1000)}
	}},
	"power_grid": {nnz: exact, symmetric: true, draw: func(r *rand.Rand) map[string]any {
		return map[string]any{"buses": 1 + r.IntN(1+r.IntN(1000)), "degree": 2 + 0.99*r.Float64(), "seed": r.IntN(1000)}
	}},
	"fem_globals": {symmetric: true, draw: func(r *rand.Rand) map[string]any {
		return map[string]any{"nodes": 30 + r.IntN(300), "dof": 1 + r.IntN(6), "neighbours": 20 * r.Float64(),
			"globals": r.IntN(10), "seed": r.IntN(1000)}
	}},
	"bordered_blocks": {nnz: exact, symmetric: true, fixed: true, draw: func(r *rand.Rand) map[string]any {
		return map[string]any{"blocks": 1 + r.IntN(30), "size": 1 + r.IntN(20), "border": r.IntN(12),
			"seed": r.IntN(1000)}
	}},
	"single_cell": {draw: layer},
	"pruned":      {draw: layer},
	"nm_pruned": {nnz: exact, draw: func(r *rand.Rand) map[string]any {
		m := 2 + r.IntN(10)
		return map[string]any{"rows": 1 + r.IntN(200), "cols": m * (1 + r.IntN(40)), "m": m, "n": 1 + r.IntN(m),
			"seed": r.IntN(1000)}
	}},
	"block_pruned": {draw: func(r *rand.Rand) map[string]any {
		b := 1 + r.IntN(8)
		return map[string]any{"rows": b * (1 + r.IntN(40)), "cols": b * (2 + r.IntN(40)), "block": b,
			"density": 0.01 + 0.99*r.Float64(), "seed": r.IntN(1000)}
	}},
	"attention": {nnz: atMost, draw: func(r *rand.Rand) map[string]any {
		return map[string]any{"rows": 1 + r.IntN(200), "window": r.IntN(30), "global": r.IntN(20), "random": r.IntN(10),
			"block": 1 + r.IntN(4), "seed": r.IntN(1000)}
	}},
}

// applied has a case for each of applications.
var applied = map[string]structure{}
