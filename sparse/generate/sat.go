package generate

import (
	"context"
	"math"

	"spmvtune/sparse"
)

// A long clause has three literals and, with probability 1/n, at least n more, up to this many.
const longestTail = 256

func planSAT(v values) (Size, error) {
	clauses := v.int("rows")
	extra := 0.0 // of a long clause
	for n := 1; n <= longestTail; n++ {
		extra += 1 / float64(n)
	}
	nnz := 3*float64(clauses) + math.Floor(float64(clauses)*v["long"])*extra
	return Size{Rows: clauses, Cols: variablesSAT(v), NNZ: int(math.Round(nnz))}, nil
}

func variablesSAT(v values) int { return max(3, int(math.Round(v["rows"]/v["ratio"]))) }

// buildSAT makes the incidence matrix of clauses and variables. Long clauses are spread evenly
// among the others.
func buildSAT(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	clauses, variables := v.int("rows"), variablesSAT(v)
	extra := newSource(v.seed(), forLengths)
	src := newSource(v.seed(), forStructure)
	length := func(i int) int {
		if math.Floor(float64(i+1)*v["long"]) == math.Floor(float64(i)*v["long"]) {
			return 3
		}
		s := extra.stream(uint64(i))
		return min(variables, 3+heavy(s.unit(), 1, longestTail))
	}

	a := assembly{
		rows: clauses, cols: variables,
		length: length,
		fill: func(i int, columns []int32) {
			s := src.stream(uint64(i))
			window := min(variables, max(2*len(columns), int(v["reach"]*float64(variables))))
			first := int32(min(max(0, i*variables/clauses-window/2), variables-window))
			sample(columns, window, &s)
			for k := range columns {
				columns[k] += first
			}
		},
		value: newSource(v.seed(), forValues).value,
	}

	return a.build(ctx)
}
