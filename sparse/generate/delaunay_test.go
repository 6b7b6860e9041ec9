// SPDX-License-Identifier: Apache-2.0

package generate

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/sparse"
)

// pointSets are distinct points by what is special about them.
var pointSets = map[string]func(r *rand.Rand) []point{
	"random":  func(r *rand.Rand) []point { return randomPoints(r, 1+r.IntN(60), far+1, far+1) },
	"crowded": func(r *rand.Rand) []point { return randomPoints(r, 1+r.IntN(60), 12, 12) },
	"strip":   func(r *rand.Rand) []point { return randomPoints(r, 1+r.IntN(60), 3, 1000) },
	"two lines": func(r *rand.Rand) []point {
		return append(randomPoints(r, 1+r.IntN(30), 100, 1), randomPoints(r, 1+r.IntN(30), 1, 100)...)
	},
	"line":     func(r *rand.Rand) []point { return line(r.Int32N(4), r.Int32N(4)+1, 1+r.Int32N(40)) },
	"vertical": func(r *rand.Rand) []point { return line(0, 3, 1+r.Int32N(40)) },
	"level":    func(r *rand.Rand) []point { return line(3, 0, 1+r.Int32N(40)) },
	"falling": func(r *rand.Rand) []point {
		points := line(2, 1, 1+r.Int32N(40))
		for k := range points {
			points[k].y = 100 - points[k].y
		}
		return points
	},
	"grid": func(r *rand.Rand) []point {
		var points []point
		w, h := 1+r.Int32N(9), 1+r.Int32N(9)
		for k := range w * h {
			points = append(points, point{k % w, k / w})
		}
		return points
	},
	// All points of the grid on a circle: 65² is the sum of two squares in many ways.
	"circle": func(r *rand.Rand) []point {
		var points []point
		for x := int32(-65); x <= 65; x++ {
			for y := int32(-65); y <= 65; y++ {
				if x*x+y*y == 65*65 || x == 0 && y == 0 && r.IntN(2) == 0 {
					points = append(points, point{x + 100, y + 100})
				}
			}
		}
		return points
	},
}

func randomPoints(r *rand.Rand, n int, width, height int32) []point {
	points := make([]point, n)
	for k := range points {
		points[k] = point{r.Int32N(width), r.Int32N(height)}
	}
	return points
}

func line(dx, dy, n int32) []point {
	var points []point
	for k := range n {
		points = append(points, point{k * dx, k * dy})
	}
	return points
}

// TestDelaunay holds the triangulation of small sets against its definition, tried on
// all points.
func TestDelaunay(t *testing.T) {
	for name, choose := range pointSets {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, 4))
			for range testkit.Draws(60) {
				var codes []uint64
				for _, p := range choose(r) {
					codes = append(codes, p.code())
				}
				slices.Sort(codes)
				checkDelaunay(t, slices.Compact(codes))
			}
		})
	}
}

// FuzzDelaunay takes two bytes for a point, multiples of which reach across the grid.
func FuzzDelaunay(f *testing.F) {
	f.Add([]byte{0, 0, 0, 1, 0, 2, 1, 1}, false)
	f.Add([]byte{0, 0, 255, 0, 0, 255, 255, 255, 127, 0}, true)
	f.Fuzz(func(t *testing.T, data []byte, wide bool) {
		var codes []uint64
		for k := 0; k+1 < min(len(data), 40); k += 2 {
			p := point{int32(data[k]), int32(data[k+1])}
			if wide {
				p.x, p.y = p.x*(far/255), p.y*(far/255)
			}
			codes = append(codes, p.code())
		}

		if len(codes) > 0 {
			slices.Sort(codes)
			checkDelaunay(t, slices.Compact(codes))
		}
	})
}

func checkDelaunay(t *testing.T, codes []uint64) {
	t.Helper()
	tri := testkit.Must(triangulate(t.Context(), codes))

	m := testkit.Must(tri.graph(t.Context()))
	wellFormed(t, "graph", m)
	isSymmetric(t, "graph", m)
	dual := testkit.Must(tri.dual(t.Context()))

	wellFormed(t, "dual", dual)
	isSymmetric(t, "dual", dual)

	n, points := len(codes), tri.points
	hull, area := hullOf(points)
	edges, triangles, shared := 3*n-3-hull, 2*n-2-hull, 3*n-3-2*hull
	if area == 0 { // on a line
		edges, triangles, shared = n-1, 0, 0
	}

	testkit.EqualLists(t, []int{m.NNZ(), dual.Rows, dual.NNZ()}, []int{2 * edges, triangles, 2 * shared},
		"%v: twice the edges, triangles, and twice the edges between them", points)
	_, sides := tri.triangles()

	for _, e := range sides {
		third, _ := tri.third(e)
		a, b, c := points[tri.half[e].org], points[tri.dest(e)], points[third]
		area -= bigOrient(a, b, c).Int64()
		for _, d := range points {
			testkit.Require(t, bigInCircle(a, b, c, d).Sign() <= 0, "%v: the circle through %v, %v, %v contains %v", points, a, b, c, d)
		}
	}

	testkit.Require(t, area == 0, "%v: triangles overlap or leave gaps: twice the area is off by %d", points, -area)
}

// hullOf counts the points on the border of the convex hull and returns twice its
// area (Andrew, Inf. Process. Lett. 9, 1979). If the area is zero so is the count.
func hullOf(points []point) (count int, area int64) {
	sorted := slices.Clone(points)
	slices.SortFunc(sorted, func(a, b point) int {
		if a.x != b.x {
			return int(a.x - b.x)
		}
		return int(a.y - b.y)
	})

	chain := func() (corners []point) {
		for _, p := range sorted {
			for k := len(corners); k >= 2 && bigOrient(corners[k-2], corners[k-1], p).Sign() < 0; k-- {
				corners = corners[:k-1]
			}
			corners = append(corners, p)
		}
		return corners[:len(corners)-1]
	}

	hull := chain()
	slices.Reverse(sorted)
	hull = append(hull, chain()...)
	for k := range hull {
		area += bigOrient(hull[0], hull[k], hull[(k+1)%len(hull)]).Int64()
	}

	if area == 0 {
		return 0, 0
	}
	return len(hull), area
}

// TestDelaunaySize has the size of SuiteSparse's delaunay_n16 but for chance: its
// 393,150 nonzeros are those of a triangulation with 30 points on the hull.
func TestDelaunaySize(t *testing.T) {
	const n = 1 << 16
	m := build(t, "delaunay", map[string]any{"points": n})
	f, hull := sparse.Analyze(m), 3*n-3-m.NNZ()/2
	if hull < 10 || hull > 60 || f.RowMin < 2 || f.RowMax < 12 || f.RowMax > 20 {
		t.Errorf("%d points on the hull, degrees %d to %d", hull, f.RowMin, f.RowMax)
	}
	testkit.Check(t, f.BandwidthMean <= n/50, "neighbours are %g apart on average: not numbered along a curve", f.BandwidthMean)

	testkit.Equal(t, reached(m.RowPtr, m.ColIdx), n, "not all points are connected")
}

// TestDual checks the size of hugetrace-00000, and that most triangles have three
// neighbours.
func TestDual(t *testing.T) {
	size, err := Plan("triangulation_dual", map[string]any{"rows": 4_588_484, "border": 7186})
	testkit.Succeed(t, err)
	testkit.Equal(t, size, Size{4_588_484, 4_588_484, 13_758_266, 0}, "plan of hugetrace-00000")
	m := build(t, "triangulation_dual", map[string]any{"rows": 30_000})
	var by [4]int
	for i := range m.Rows {
		by[m.RowPtr[i+1]-m.RowPtr[i]]++
	}

	testkit.Check(t, by[0] == 0 && by[1] <= 4 && by[1]*2+by[2] == 434, "triangles by degree: %v", by)
	testkit.Equal(t, reached(m.RowPtr, m.ColIdx), m.Rows, "not all triangles are connected")
}

// The shuffled graph is the same graph, with its neighbours far from each other.
func TestShuffledIsTheSameGraph(t *testing.T) {
	args := map[string]any{"points": 3000, "seed": 5}
	m, shuffled := build(t, "delaunay", args), build(t, "delaunay_shuffled", args)
	lengths := func(m *sparse.CSR[float64]) []int32 {
		list := make([]int32, m.Rows)
		for i := range list {
			list[i] = m.RowPtr[i+1] - m.RowPtr[i]
		}
		slices.Sort(list)
		return list
	}
	if m.NNZ() != shuffled.NNZ() || !slices.Equal(lengths(m), lengths(shuffled)) {
		t.Errorf("%v and %v have rows of other lengths", m, shuffled)
	}
	// Two random rows of n are n/3 apart.
	if near, far := sparse.Analyze(m).BandwidthMean, sparse.Analyze(shuffled).BandwidthMean; near > 200 || far < 900 || far > 1100 {
		t.Errorf("neighbours are %.0f apart, and %.0f in the shuffled graph; want few, and about 1000", near, far)
	}
}

func TestCodes(t *testing.T) {
	testkit.Equal(t, (point{x: 0b101, y: 0b011}).code(), 0b011011, "code")
	r := rand.New(rand.NewPCG(1, 2))

	for range 1000 {
		p := point{r.Int32N(far + 1), r.Int32N(far + 1)}
		testkit.Equal(t, pointAt(p.code()), p, "a point")
	}
}

// TestScatter has points given twice, of which one goes, and draws the rest.
func TestScatter(t *testing.T) {
	given := []point{{5, 6}, {7, 8}, {5, 6}}
	codes := scatter(newSource(1, forStructure), given, 40, insideSquare)
	testkit.Equal(t, len(codes), 40, "points")

	for k, c := range codes {
		if k > 0 && c <= codes[k-1] {
			t.Errorf("code %x comes after %x", c, codes[k-1])
		}
	}

	for _, p := range given {
		testkit.Check(t, slices.Contains(codes, p.code()), "%v is missing", p)
	}
}

func TestSquare(t *testing.T) {
	for n := 4; n < 30; n++ {
		points := rim(n)
		slices.SortFunc(points, func(a, b point) int { return int(int64(a.code()) - int64(b.code())) })
		points = slices.Compact(points)
		testkit.Equal(t, len(points), n, "distinct points")

		for _, corner := range []point{{0, 0}, {far, 0}, {0, far}, {far, far}} {
			testkit.Check(t, slices.Contains(points, corner), "%d points lack the corner %v", n, corner)
		}

		testkit.Check(t, !slices.ContainsFunc(points, insideSquare), "%d points: one lies inside", n)
	}
}

// TestPredicates compares with numbers of any size, where the largest coordinates
// meet, and where nearly everything lies on a line or a circle.
func TestPredicates(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct{ low, high int32 }{{0, 2}, {0, 9}, {0, far}, {far - 3, far}} {
		for range 3000 {
			var p [4]point
			for k := range p {
				p[k] = point{c.low + r.Int32N(c.high-c.low+1), c.low + r.Int32N(c.high-c.low+1)}
				if r.IntN(3) == 0 {
					p[k] = point{far * r.Int32N(2), far * r.Int32N(2)}
				}
			}

			turn, inside := bigOrient(p[0], p[1], p[2]), bigInCircle(p[0], p[1], p[2], p[3])
			if got := orient(p[0], p[1], p[2]); got != turn.Int64() || !turn.IsInt64() {
				t.Fatalf("orient%v = %d, not %v", p[:3], got, turn)
			}
			testkit.Equal(t, inCircle(p[0], p[1], p[2], p[3]), inside.Sign() > 0, "inCircle%v, determinant %v", p, inside)
		}
	}
}

func bigOrient(a, b, c point) *big.Int {
	return determinant([][]*big.Int{lifted(a)[:3], lifted(b)[:3], lifted(c)[:3]})
}

func bigInCircle(a, b, c, d point) *big.Int {
	m := [][]*big.Int{lifted(a), lifted(b), lifted(c), lifted(d)}
	for _, row := range m { // x, y, x²+y², 1
		row[0], row[1], row[2], row[3] = row[1], row[2], row[3], row[0]
	}
	return determinant(m)
}

// lifted is 1, x, y, x²+y².
func lifted(p point) []*big.Int {
	x, y := big.NewInt(int64(p.x)), big.NewInt(int64(p.y))
	square := new(big.Int).Add(new(big.Int).Mul(x, x), new(big.Int).Mul(y, y))
	return []*big.Int{big.NewInt(1), x, y, square}
}

// determinant expands along the first column.
func determinant(m [][]*big.Int) *big.Int {
	if len(m) == 1 {
		return m[0][0]
	}
	sum := new(big.Int)

	for i := range m {
		var minor [][]*big.Int
		for k, row := range m {
			if k != i {
				minor = append(minor, row[1:])
			}
		}

		term := new(big.Int).Mul(m[i][0], determinant(minor))
		if i%2 == 1 {
			term.Neg(term)
		}
		sum.Add(sum, term)
	}

	return sum
}
