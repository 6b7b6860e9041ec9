// SPDX-License-Identifier: Apache-2.0

package generate

import (
	"cmp"
	"context"
	"math"

	"example.org/spmvtune/sparse"
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
		factors := transposed(start, members, n) // by row
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

// Unknowns of a camera (rotation, position, focal length, two distortions) and of a point, and
// residuals of an observation: those of "Bundle Adjustment in the Large" (Agarwal and others,
// ECCV 2010).
const (
	perCamera      = 9
	perPoint       = 3
	perObservation = 2
)

// Cameras that may see a point, per one that does.
const sightings = 4

// bundled plans a matrix of a bundle, which is made first.
func bundled(v values, s Size, value func(s source, i, j int) float64, of func(b *bundle) rowDraw) (plan, error) {
	return plan{s, func(ctx context.Context) (*sparse.CSR[float64], error) {
		b, err := newBundle(ctx, v)
		if err != nil {
			return nil, err
		}
		return s.draw(ctx, v.seed(), newSource(v.seed(), forValues).of(value), of(b))
	}}, v.tracked()
}

// tracked refuses too few cameras for the points.
func (v values) tracked() error {
	if c, most := v.int("cameras"), 2*v.int("track"); c < most {
		return wrong("cameras", "%d are too few for %d a point; at least %d", c, v.int("track"), most)
	}
	return nil
}

// A bundle says which cameras see which points. A point is seen by cameras that follow each
// other, as on a drive through a street.
type bundle struct {
	cameras, points int
	start, camera   []int32 // point p is seen by cameras camera[start[p]:start[p+1]], increasing
}

// transposed says in which of the lists of numbers below n each number is.
func transposed(start, numbers []int32, n int) *sparse.CSR[float64] {
	return (&sparse.CSR[float64]{Rows: len(start) - 1, Cols: n, RowPtr: start, ColIdx: numbers}).Transpose()
}

// newBundle has points that are seen by 2 to 2·track − 2 cameras, pairs of them by twice track.
func newBundle(ctx context.Context, v values) (*bundle, error) {
	b := &bundle{cameras: v.int("cameras"), points: v.int("points")}
	track := v.int("track")
	b.start = make([]int32, b.points+1)
	src := newSource(v.seed(), forLengths)
	for p := range b.points {
		s := src.stream(uint64(p / 2))
		more := s.below(track - 1)
		switch {
		case p%2 == 1:
			more = -more
		case p == b.points-1:
			more = 0
		}
		b.start[p+1] = b.start[p] + int32(track+more)
	}

	b.camera = make([]int32, b.start[b.points])
	window := min(b.cameras, sightings*track)
	src = newSource(v.seed(), forStructure)
	err := parallel(ctx, b.points, func(p int) {
		s := src.stream(uint64(p))
		seen := b.camera[b.start[p]:b.start[p+1]]
		sample(seen, window, &s)
		first := int32(p * (b.cameras - window + 1) / b.points)
		for k := range seen {
			seen[k] += first
		}
	})
	return b, err
}

// planJacobian has the observations point by point, and the cameras' columns first.
func planJacobian(v values) (plan, error) {
	s := Size{Rows: perObservation * v.int("points") * v.int("track"),
		Cols: perCamera*v.int("cameras") + perPoint*v.int("points")}
	s.NNZ = s.Rows * (perCamera + perPoint)
	return bundled(v, s, source.value, func(b *bundle) rowDraw {
		point := make([]int, len(b.camera)) // by observation
		for p := range b.points {
			for o := b.start[p]; o < b.start[p+1]; o++ {
				point[o] = p
			}
		}
		return func(i int, _ *stream, columns []int32) []int32 {
			o := i / perObservation
			columns = run(columns, perCamera*int(b.camera[o]), perCamera)
			return run(columns, perCamera*b.cameras+perPoint*point[o], perPoint)
		}
	})
}

// run appends n consecutive columns.
func run(columns []int32, first, n int) []int32 {
	for k := range n {
		columns = append(columns, int32(first+k))
	}
	return columns
}

// planNormal makes JᵀJ: cameras are tied to the points that they see, never to cameras.
func planNormal(v values) (plan, error) {
	cameras, points := v.int("cameras"), v.int("points")
	size := square(perCamera*cameras+perPoint*points,
		perCamera*perCamera*cameras+perPoint*perPoint*points+2*perCamera*perPoint*points*v.int("track"))
	return bundled(v, size, source.symmetricValue, func(b *bundle) rowDraw {
		points := transposed(b.start, b.camera, b.cameras) // by camera
		border := perCamera * b.cameras
		return func(i int, _ *stream, columns []int32) []int32 {
			if i < border {
				c := i / perCamera
				columns = run(columns, perCamera*c, perCamera)
				for _, p := range points.ColIdx[points.RowPtr[c]:points.RowPtr[c+1]] {
					columns = run(columns, border+perPoint*int(p), perPoint)
				}
				return columns
			}
			p := (i - border) / perPoint
			for _, c := range b.camera[b.start[p]:b.start[p+1]] {
				columns = run(columns, perCamera*int(c), perCamera)
			}
			return run(columns, border+perPoint*p, perPoint)
		}
	})
}

// planSchur leaves the cameras, tied to each other where they see a point together. So many pairs
// are expected to: those d apart fit into window − d of the windows that begin at a camera, and are
// both chosen by one point of sightings².
func planSchur(v values) (plan, error) {
	cameras := v.int("cameras")
	window := min(cameras, sightings*v.int("track"))
	perWindow, pairs := v["points"]/float64(cameras-window+1), 0.0
	for d := 1; d < window; d++ {
		fit := min(float64(window-d), float64(cameras-d))
		pairs += float64(cameras-d) * -math.Expm1(-fit*perWindow/(sightings*sightings))
	}
	inner := square(cameras, cameras+2*int(pairs))
	p, err := blocked(v, inner, perCamera, source.symmetricValue, func(ctx context.Context) (*sparse.CSR[float64], error) {
		b, err := newBundle(ctx, v)
		if err != nil {
			return nil, err
		}
		points := transposed(b.start, b.camera, b.cameras) // by camera
		return inner.draw(ctx, v.seed(), nil, func(c int, _ *stream, columns []int32) []int32 {
			columns = append(columns, int32(c))
			for _, p := range points.ColIdx[points.RowPtr[c]:points.RowPtr[c+1]] {
				columns = append(columns, b.camera[b.start[p]:b.start[p+1]]...)
			}
			return columns
		})
	})
	return p, cmp.Or(v.tracked(), err)
}
