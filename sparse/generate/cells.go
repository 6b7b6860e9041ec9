package generate

import (
	"context"
	"math"

	"spmvtune/sparse"
)

// Deviation of the logarithm of genes' mean counts, as in atlases of tissues.
const spreadOfGenes = 2.0

func planCells(v values) (Size, error) {
	rows, cols := v.int("rows"), v.int("cols")
	return Size{Rows: rows, Cols: cols, NNZ: int(math.Round(v["density"] * float64(rows) * float64(cols)))}, nil
}

// buildCells draws the mean count of each gene from a log-normal law. A cell has a count if a
// Poisson number is not 0; where it is, there is no entry.
func buildCells(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	src := newSource(v.seed(), forLengths)
	center := centerOfGenes(v["density"])
	seen := func(i int) float64 {
		s := src.stream(uint64(i))
		return detected(center, s.unit()-0x1p-54)
	}
	return bernoulli(v.int("rows"), v.int("cols"), v.seed(), seen).build(ctx)
}

// detected is the share of cells that have a count of the gene at quantile u, in (0, 1), of all.
func detected(center, u float64) float64 {
	return -math.Expm1(-math.Exp(center + spreadOfGenes*math.Sqrt2*math.Erfinv(2*u-1)))
}

// centerOfGenes is the logarithm of the median count where genes are seen in a share of density
// of the cells, on average.
func centerOfGenes(density float64) float64 {
	const parts = 512
	return bisect(-40, 40, func(center float64) float64 {
		sum := 0.0
		for k := range parts {
			sum += detected(center, (float64(k)+0.5)/parts)
		}
		return sum/parts - density
	})
}
