package generate

import (
	"context"
	"fmt"
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

func checkBundle(generator string, v values) error {
	if c := v.int("cameras"); c < 2*v.int("track") {
		return &ArgError{generator, "cameras", fmt.Sprintf("%d are too few for %d a point; at least %d", c,
			v.int("track"), 2*v.int("track"))}
	}
	return nil
}

func planJacobian(v values) (Size, error) {
	observations := v.int("points") * v.int("track")
	s := Size{Rows: perObservation * observations, Cols: perCamera*v.int("cameras") + perPoint*v.int("points")}
	s.NNZ = s.Rows * (perCamera + perPoint)
	return s, checkBundle("bundle_jacobian", v)
}

func planNormal(v values) (Size, error) {
	cameras, points := v.int("cameras"), v.int("points")
	n := perCamera*cameras + perPoint*points
	return Size{Rows: n, Cols: n, NNZ: perCamera*perCamera*cameras + perPoint*perPoint*points +
		2*perCamera*perPoint*points*v.int("track")}, checkBundle("bundle_normal", v)
}

// planSchur expects so many pairs of cameras that see a point together: those d apart fit into
// window − d of the windows that begin at a camera, and are both chosen by one point of sightings².
func planSchur(v values) (Size, error) {
	cameras := v.int("cameras")
	window := min(cameras, sightings*v.int("track"))
	perWindow := v["points"] / float64(cameras-window+1)
	pairs := 0.0
	for d := 1; d < window; d++ {
		fit := min(float64(window-d), float64(cameras-d))
		pairs += float64(cameras-d) * -math.Expm1(-fit*perWindow/(sightings*sightings))
	}
	n := perCamera * cameras
	return Size{Rows: n, Cols: n, NNZ: (cameras + 2*int(pairs)) * perCamera * perCamera},
		checkBundle("bundle_schur", v)
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
	err := parallel(ctx, b.points, func(lo, hi int) {
		for p := lo; p < hi; p++ {
			s := src.stream(uint64(p))
			seen := b.camera[b.start[p]:b.start[p+1]]
			sample(seen, window, &s)
			first := int32(p * (b.cameras - window + 1) / b.points)
			for k := range seen {
				seen[k] += first
			}
		}
	})
	return b, err
}

// seen returns the points by camera: those of camera c are points[start[c]:start[c+1]],
// increasing.
func (b *bundle) seen() (start, points []int32) {
	edges := make([]edge, 0, len(b.camera))
	for p := range b.points {
		for _, c := range b.camera[b.start[p]:b.start[p+1]] {
			edges = append(edges, edge{c, int32(p)})
		}
	}
	return collect(edges, b.cameras, false)
}

// buildJacobian has the observations point by point, and the cameras' columns first.
func buildJacobian(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	b, err := newBundle(ctx, v)
	if err != nil {
		return nil, err
	}
	point := make([]int32, len(b.camera)) // by observation
	for p := range b.points {
		for o := b.start[p]; o < b.start[p+1]; o++ {
			point[o] = int32(p)
		}
	}

	a := assembly{
		rows: perObservation * len(point), cols: perCamera*b.cameras + perPoint*b.points,
		length: func(int) int { return perCamera + perPoint },
		fill: func(i int, columns []int32) {
			o := i / perObservation
			run(columns[:perCamera], perCamera*b.camera[o])
			run(columns[perCamera:], int32(perCamera*b.cameras)+perPoint*point[o])
		},
		value: newSource(v.seed(), forValues).value,
	}

	return a.build(ctx)
}

// run writes consecutive columns.
func run(columns []int32, first int32) {
	for k := range columns {
		columns[k] = first + int32(k)
	}
}

// buildNormal makes JᵀJ: cameras are tied to the points that they see, never to cameras.
func buildNormal(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	b, err := newBundle(ctx, v)
	if err != nil {
		return nil, err
	}
	start, points := b.seen()
	border := perCamera * b.cameras
	of := func(i int) (camera, point int) { return i / perCamera, (i - border) / perPoint }

	a := assembly{
		rows: border + perPoint*b.points, cols: border + perPoint*b.points,
		length: func(i int) int {
			c, p := of(i)
			if i < border {
				return perCamera + perPoint*int(start[c+1]-start[c])
			}
			return perCamera*int(b.start[p+1]-b.start[p]) + perPoint
		},
		fill: func(i int, columns []int32) {
			c, p := of(i)
			if i < border {
				run(columns[:perCamera], int32(perCamera*c))
				for k, p := range points[start[c]:start[c+1]] {
					run(columns[perCamera+perPoint*k:][:perPoint], int32(border)+perPoint*p)
				}
				return
			}

			own := len(columns) - perPoint
			for k, c := range b.camera[b.start[p]:b.start[p+1]] {
				run(columns[perCamera*k:][:perCamera], perCamera*c)
			}
			run(columns[own:], int32(border+perPoint*p))
		},
		value: newSource(v.seed(), forValues).symmetricValue,
	}

	return a.build(ctx)
}

// buildSchur leaves the cameras, tied to each other where they see a point together.
func buildSchur(ctx context.Context, v values) (*sparse.CSR[float64], error) {
	b, err := newBundle(ctx, v)
	if err != nil {
		return nil, err
	}
	start, points := b.seen()
	window := min(b.cameras, sightings*v.int("track"))
	m, err := drawn(ctx, b.cameras, b.cameras, v.seed(), func(c int, _ *stream, columns []int32) []int32 {
		first := max(0, c-window+1)
		near := make([]bool, min(b.cameras, c+window)-first)
		near[c-first] = true
		for _, p := range points[start[c]:start[c+1]] {
			for _, other := range b.camera[b.start[p]:b.start[p+1]] {
				near[int(other)-first] = true
			}
		}

		for k, together := range near {
			if together {
				columns = append(columns, int32(first+k))
			}
		}
		return columns
	})
	if err != nil {
		return nil, err
	}

	a := rowsOf(m).blocks(perCamera)
	a.value = newSource(v.seed(), forValues).symmetricValue
	return a.build(ctx)
}
