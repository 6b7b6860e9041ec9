package generate

import (
	"cmp"
	"context"
	"math"

	"spmvtune/sparse"
)

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
