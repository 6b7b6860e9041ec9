package generate

import (
	"math"
)

func planLDPC(v values) (plan, error) {
	size, weight, checks := v.int("size"), v.int("weight"), v.int("checks")
	if weight > v.int("symbols") {
		return plan{}, wrong("weight", "more blocks than a row of them has room for")
	}
	rows := checks * size
	return prepared(v, Size{Rows: rows, Cols: v.int("symbols") * size, NNZ: rows * weight}, source.value, func() rowDraw {
		blocks, shifts := make([]int32, checks*weight), make([]int, checks*weight)
		src := newSource(v.seed(), forStencil)
		for c := range checks {
			s := src.stream(uint64(c))
			first := c * weight
			spread(blocks[first:first+weight], v.int("symbols"), &s)
			for k := range weight {
				shifts[first+k] = s.below(size)
			}
		}
		return func(i int, _ *stream, columns []int32) []int32 {
			first := i / size * weight
			for k := first; k < first+weight; k++ {
				columns = append(columns, blocks[k]*int32(size)+int32((i+shifts[k])%size))
			}
			return columns
		}
	})
}

func planLowRank(v values) (plan, error) {
	n, rank, support := v.int("rows"), v.int("rank"), v.int("support")
	if support > n {
		return plan{}, wrong("support", "more than there are rows")
	}
	return prepared(v, square(n, n+rank*support*(support-1)), source.symmetricValue, func() rowDraw {
		src := newSource(v.seed(), forStencil)
		members, start := make([]int32, rank*support), make([]int32, rank+1)
		for f := range rank {
			s := src.stream(uint64(f))
			spread(members[f*support:(f+1)*support], n, &s)
			start[f+1] = int32((f + 1) * support)
		}
		factors := transposed(start, members, n)
		return func(i int, _ *stream, columns []int32) []int32 {
			columns = append(columns, int32(i))
			for _, f := range factors.ColIdx[factors.RowPtr[i]:factors.RowPtr[i+1]] {
				columns = append(columns, members[start[f]:start[f+1]]...)
			}
			return columns
		}
	})
}

func planKronecker(v values) (plan, error) {
	for _, factor := range []string{"outer", "inner"} {
		if v.int(factor+"_nnz") > v.int(factor) {
			return plan{}, wrong(factor+"_nnz", "more than there are columns")
		}
	}
	inner := v.int("inner")
	n := v.int("outer") * inner
	return prepared(v, square(n, n*v.int("outer_nnz")*v.int("inner_nnz")), source.value, func() rowDraw {
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
		return func(i int, _ *stream, columns []int32) []int32 {
			for _, j := range a(i / inner) {
				for _, k := range b(i % inner) {
					columns = append(columns, j*int32(inner)+k)
				}
			}
			return columns
		}
	})
}

func planDense(v values) (plan, error) {
	n, filled := v.int("rows"), v["filled"]
	if v.int("dense") > n {
		return plan{}, wrong("dense", "more than there are columns")
	}
	return prepared(v, square(n, int(float64(n)*(v["row_nnz"]+v["dense"]*filled))), source.value, func() rowDraw {
		dense := make([]int32, v.int("dense"))
		s := newSource(v.seed(), forStencil).stream(0)
		spread(dense, n, &s)
		return func(i int, s *stream, columns []int32) []int32 {
			for range s.geometric(v["row_nnz"]) {
				columns = append(columns, int32(s.near(i, n)))
			}
			for _, j := range dense {
				if s.unit() <= filled {
					columns = append(columns, j)
				}
			}
			return columns
		}
	})
}

// One in rare constraints of a staircase is longer times as long as others.
const longer, rare = 20, 40

// planStaircase takes a third of a constraint's variables from the period before.
func planStaircase(v values) (plan, error) {
	perPeriod, cols := v.int("rows"), v.int("cols")
	size := Size{Rows: v.int("periods") * perPeriod, Cols: v.int("periods") * cols}
	size.NNZ = int(float64(size.Rows) * v["row_nnz"] * (1 + float64(longer-1)/rare))
	return drawn(v, size, source.value, func(i int, s *stream, columns []int32) []int32 {
		period, mean := i/perPeriod, v["row_nnz"]
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

// planUnfolding gives rows lengths of Pareto's law with exponent 1.5.
func planUnfolding(v values) (plan, error) {
	n, second, third := v.int("rows"), v["second"], v["third"]
	size := Size{Rows: n, Cols: int(second) * int(third), NNZ: int(float64(n) * v["row_nnz"])}
	return drawn(v, size, source.value, func(i int, s *stream, columns []int32) []int32 {
		length := min(v["row_nnz"]/3*math.Pow(s.unit(), -2./3), float64(size.Cols)/4)
		for range int(length + s.unit()) {
			j, k := s.unit(), s.unit()
			j, k = max(0, second*j*j*j-1), max(0, third*k*k-1)
			columns = append(columns, int32(int(j)*int(third)+int(k)))
		}
		return columns
	})
}

func planWindows(v values) (plan, error) {
	rows, window, stride := v.int("rows"), v.int("window"), v.int("stride")
	size := Size{Rows: rows, Cols: (rows-1)*stride + window, NNZ: int(float64(rows*window) * (1 - v["missing"]))}
	samples := newSource(v.seed(), forStencil)
	missing := uint64(v["missing"] * (1 << 32))
	return drawn(v, size, source.value, func(i int, _ *stream, columns []int32) []int32 {
		for j := i * stride; j < i*stride+window; j++ {
			if samples.at(uint64(j))>>32 >= missing {
				columns = append(columns, int32(j))
			}
		}
		return columns
	})
}

// planTomography: a ray of slope s leaves |s|/4 of its steps outside, slopes are −1 to 1.
func planTomography(v values) (plan, error) {
	n, d := v.int("side"), v.int("directions")
	size := Size{Rows: n * d, Cols: n * n, NNZ: d * n * n / 4 * 7}
	return drawn(v, size, source.value, func(i int, _ *stream, columns []int32) []int32 {
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
