package generate

import (
	"context"
	"math"

	"spmvtune/sparse"
)

func planLDPC(v values) (Size, error) {
	size := v.int("size")
	if v.int("weight") > v.int("symbols") {
		return Size{}, &ArgError{"ldpc", "weight", "more blocks than a row of them has room for"}
	}
	rows := v.int("checks") * size
	return Size{Rows: rows, Cols: v.int("symbols") * size, NNZ: rows * v.int("weight")}, nil
}

func buildLDPC(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	planned, _ := planLDPC(v)
	size, weight, src := v.int("size"), v.int("weight"), newSource(v.seed(), forStencil)
	blocks := make([]int32, v.int("checks")*weight)
	shifts := make([]int, len(blocks))
	for c := range v.int("checks") {
		s := src.stream(uint64(c))
		first := c * weight
		spread(blocks[first:first+weight], v.int("symbols"), &s)
		for k := range weight {
			shifts[first+k] = s.below(size)
		}
	}

	return drawn(ctx, planned.Rows, planned.Cols, v.seed(), func(i int, _ *stream, columns []int32) []int32 {
		first := i / size * weight
		for k := first; k < first+weight; k++ {
			columns = append(columns, blocks[k]*int32(size)+int32((i+shifts[k])%size))
		}
		return columns
	})
}

func planLowRank(v values) (Size, error) {
	n, support := v.int("rows"), v.int("support")
	if support > n {
		return Size{}, &ArgError{"low_rank", "support", "more than there are rows"}
	}
	return Size{Rows: n, Cols: n, NNZ: n + v.int("rank")*support*(support-1)}, nil
}

func buildLowRank(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	n, support := v.int("rows"), v.int("support")
	src := newSource(v.seed(), forStencil)
	members := make([]edge, v.int("rank")*support)
	columns := make([]int32, support)
	for f := range v.int("rank") {
		s := src.stream(uint64(f))
		spread(columns, n, &s)
		for k, j := range columns {
			members[f*support+k] = edge{j, int32(f)}
		}
	}
	start, factors := collect(members, n, false)

	value := newSource(v.seed(), forValues).symmetricValue
	return valued(ctx, n, n, v.seed(), value, func(i int, _ *stream, columns []int32) []int32 {
		columns = append(columns, int32(i))
		for _, f := range factors[start[i]:start[i+1]] {
			for _, m := range members[int(f)*support : (int(f)+1)*support] {
				columns = append(columns, m.row)
			}
		}
		return columns
	})
}

func planKronecker(v values) (Size, error) {
	for _, factor := range []string{"outer", "inner"} {
		if v.int(factor+"_nnz") > v.int(factor) {
			return Size{}, &ArgError{"kronecker", factor + "_nnz", "more than there are columns"}
		}
	}
	n := v.int("outer") * v.int("inner")
	return Size{Rows: n, Cols: n, NNZ: n * v.int("outer_nnz") * v.int("inner_nnz")}, nil
}

func buildKronecker(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	inner := v.int("inner")
	n := v.int("outer") * inner
	factor := func(name string, use uint64) func(i int) []int32 {
		width, src := v.int(name+"_nnz"), newSource(v.seed(), use)
		columns := make([]int32, v.int(name)*width)
		row := func(i int) []int32 { return columns[i*width : (i+1)*width] }
		for i := range v.int(name) {
			s := src.stream(uint64(i))
			spread(row(i), v.int(name), &s)
		}
		return row
	}
	a, b := factor("outer", forStructure), factor("inner", forStencil)

	return drawn(ctx, n, n, v.seed(), func(i int, _ *stream, columns []int32) []int32 {
		for _, j := range a(i / inner) {
			for _, k := range b(i % inner) {
				columns = append(columns, j*int32(inner)+k)
			}
		}
		return columns
	})
}

func planDense(v values) (Size, error) {
	n := v.int("rows")
	if v.int("dense") > n {
		return Size{}, &ArgError{"dense_columns", "dense", "more than there are columns"}
	}
	return Size{Rows: n, Cols: n, NNZ: int(float64(n) * (v["row_nnz"] + v["dense"]*v["filled"]))}, nil
}

func buildDense(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	n, filled := v.int("rows"), v["filled"]
	dense := make([]int32, v.int("dense"))
	s := newSource(v.seed(), forStencil).stream(0)
	spread(dense, n, &s)

	return drawn(ctx, n, n, v.seed(), func(i int, s *stream, columns []int32) []int32 {
		for range s.geometric(v["row_nnz"]) {
			columns = append(columns, int32(s.near(i, n)))
		}
		for _, j := range dense {
			if s.unit() <= filled {
				columns = append(columns, j)
			}
		}
		return columns
	})
}

// One in rare constraints of a staircase is longer times as long as others.
const longer, rare = 20, 40

func planStaircase(v values) (Size, error) {
	rows := v.int("periods") * v.int("rows")
	nnz := float64(rows) * v["row_nnz"] * (1 + float64(longer-1)/rare)
	return Size{Rows: rows, Cols: v.int("periods") * v.int("cols"), NNZ: int(nnz)}, nil
}

// buildStaircase takes a third of a constraint's variables from the period before.
func buildStaircase(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	planned, _ := planStaircase(v)
	cols := v.int("cols")
	return drawn(ctx, planned.Rows, planned.Cols, v.seed(), func(i int, s *stream, columns []int32) []int32 {
		period, mean := i/v.int("rows"), v["row_nnz"]
		if s.below(rare) == 0 {
			mean *= longer
		}
		for range s.geometric(mean) {
			from := period
			if s.below(3) == 0 {
				from = max(0, period-1)
			}
			columns = append(columns, int32(from*cols+s.below(cols)))
		}
		return columns
	})
}

func planUnfolding(v values) (Size, error) {
	n := v.int("rows")
	return Size{Rows: n, Cols: v.int("second") * v.int("third"), NNZ: int(float64(n) * v["row_nnz"])}, nil
}

// buildUnfolding gives rows lengths of Pareto's law with exponent 1.5.
func buildUnfolding(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	planned, _ := planUnfolding(v)
	second, third := v["second"], v["third"]
	return drawn(ctx, planned.Rows, planned.Cols, v.seed(), func(i int, s *stream, columns []int32) []int32 {
		length := min(v["row_nnz"]/3*math.Pow(s.unit(), -2./3), float64(planned.Cols)/4)
		for range int(length + s.unit()) {
			j, k := s.unit(), s.unit()
			j, k = max(0, second*j*j*j-1), max(0, third*k*k-1)
			columns = append(columns, int32(int(j)*int(third)+int(k)))
		}
		return columns
	})
}

func planWindows(v values) (Size, error) {
	rows, window := v.int("rows"), v.int("window")
	return Size{Rows: rows, Cols: (rows-1)*v.int("stride") + window,
		NNZ: int(float64(rows*window) * (1 - v["missing"]))}, nil
}

func buildWindows(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	planned, _ := planWindows(v)
	window, stride := v.int("window"), v.int("stride")
	samples := newSource(v.seed(), forStencil)
	missing := uint64(v["missing"] * (1 << 32))
	return drawn(ctx, planned.Rows, planned.Cols, v.seed(), func(i int, _ *stream, columns []int32) []int32 {
		for j := i * stride; j < i*stride+window; j++ {
			if samples.at(uint64(j))>>32 >= missing {
				columns = append(columns, int32(j))
			}
		}
		return columns
	})
}

// planTomography: a ray of slope s leaves |s|/4 of its steps outside, slopes are −1 to 1.
func planTomography(v values) (Size, error) {
	n, d := v.int("side"), v.int("directions")
	return Size{Rows: n * d, Cols: n * n, NNZ: d * n * n / 4 * 7}, nil
}

func buildTomography(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	n, d := v.int("side"), v.int("directions")
	return drawn(ctx, n*d, n*n, v.seed(), func(i int, _ *stream, columns []int32) []int32 {
		direction, offset := i/n, i%n
		num, den := 2*(direction/2)+1-(d+1)/2, (d+1)/2 // the slope
		for step := range n {
			at := offset + (num*(2*step-n)+4*n*den)/(2*den) - 2*n // rounded down
			along, across := n, 1
			if direction%2 == 0 {
				along, across = 1, n
			}

			for p := at; p <= at+1; p++ {
				if p >= 0 && p < n {
					columns = append(columns, int32(step*along+p*across))
				}
			}
		}
		return columns
	})
}
