// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"slices"

	"example.org/spmvtune/kernels"
)

// The time of a product is about a sum of terms, each of which a kernel has more or less of: a launch, bytes that come
// from the cache and from memory, elements of x that are gathered, rows, columns, and what unequal rows cost. Trees
// start from that: in a small corpus they don't learn what is proportional to what.
//
// Note: sums of powers, other fits for small and large matrices, and the terms' own choice without trees were worse on
// families left out.

// Trusted is how much of what a configuration loses by its expected time the trees start from. They do as well from
// 0.4 to 0.8 of it, and worse from nothing.
const Trusted = 0.6

// LeastTime is the shortest time, in seconds, that is expected of a product.
const LeastTime = 1e-7

// terms are those of a time: products of features. x has an element of value bytes, in sectors of 32.
func terms(value int) []kernels.Sum {
	of := func(features ...string) kernels.Sum { return kernels.Sum{{Factor: 1, Features: features}} }
	gathered := func(features ...string) kernels.Sum { // a sector for each entry that is not right beside the one before
		all := append(features, "nonzeros")
		return kernels.Sum{{Factor: 1, Features: all},
			{Factor: float64(value)/64 - 0.5, Features: append(all[:len(all):len(all)], "neighbour_rate")}}
	}
	unlike := gathered() // the row before
	for _, t := range gathered("row_similarity") {
		unlike = append(unlike, kernels.Term{Factor: -t.Factor, Features: t.Features})
	}
	return []kernels.Sum{
		of(), of("cache_share"), of("cache_share", "memory_share"), gathered(), gathered("row_spread"), unlike,
		of("nonzeros"), of("rows"), of("cols"),
		of("nonzeros", "row_gini"), of("nonzeros", "share_above_1024"), of("row_max"),
	}
}

// times fits the time of each configuration to its terms, by least squares of the relative error on the matrices on
// which it was measured, without negative ones (C. Lawson, R. Hanson, Solving Least Squares Problems, 1974, Ch. 23; here
// by one coordinate after the other). Matrices of the largest class of sizes count twice.
func (l *learner) times(matrices, configs []int) (list []kernels.Sum) {
	terms := slices.DeleteFunc(terms(l.configs[0].Precision.Bytes()), func(s kernels.Sum) bool {
		return slices.ContainsFunc(s, func(t kernels.Term) bool {
			return slices.ContainsFunc(t.Features, func(name string) bool { return l.missing[places[name]] })
		})
	})
	values := make([][]float64, len(l.names))
	for _, m := range matrices {
		for _, s := range terms {
			values[m] = append(values[m], s.Of(l.facts[m].value))
		}
	}

	for _, c := range configs {
		square, sum := make([][]float64, len(terms)), make([]float64, len(terms))
		for i := range terms {
			square[i] = make([]float64, len(terms))
			for _, m := range matrices {
				o := l.seen[m][c]
				if !o.measured() {
					continue
				}
				weight := 1 + float64(sizeOf(l.facts[m].Nonzeros)/(len(sizeClasses)-1)) // 2 in the last class
				x := weight * values[m][i] / o.Seconds
				sum[i] += x
				for j := range terms {
					square[i][j] += x * values[m][j] / o.Seconds
				}
			}
		}
		var time kernels.Sum
		for i, factor := range nonnegative(square, sum) {
			for _, t := range terms[i] {
				if factor > 0 {
					time = append(time, kernels.Term{Factor: digits(factor*t.Factor, 6), Features: t.Features})
				}
			}
		}
		list = append(list, time)
	}
	return list
}

// nonnegative minimises xᵀ·square·x/2 − sum·x over x ≥ 0.
func nonnegative(square [][]float64, sum []float64) []float64 {
	x := make([]float64, len(sum))
	for range 2000 {
		for i, row := range square {
			left := sum[i]
			for j, y := range row {
				left -= y * x[j]
			}
			if row[i] > 0 {
				x[i] = max(0, x[i]+left/row[i])
			}
		}
	}
	return x
}

// slower says what each of some times loses against the least of them, as lost does for small losses: nothing of none,
// and NaN where a feature is not known.
//
// Note: the least time of those configurations that the matrix takes was no better on families left out: 0.941 in float32
// as before, and 0.946 for 0.949 in float64, above a million nonzeros.
func slower(times []kernels.Sum, f *Subject) []float64 {
	list := make([]float64, len(times))
	for i, s := range times {
		list[i] = max(LeastTime, s.Of(f.value))
	}
	for i, fastest := 0, slices.Min(append(list, 1)); i < len(list); i++ {
		list[i] = Trusted * (1 - fastest/list[i])
	}
	return list
}
