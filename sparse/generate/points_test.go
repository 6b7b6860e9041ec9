package generate

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestCodes(t *testing.T) {
	if got := (point{x: 0b101, y: 0b011}).code(); got != 0b011011 {
		t.Errorf("code %b", got)
	}
	r := rand.New(rand.NewPCG(1, 2))

	for range 1000 {
		p := point{r.Int32N(far + 1), r.Int32N(far + 1)}
		if got := pointAt(p.code()); got != p {
			t.Fatalf("%v became %v", p, got)
		}
	}
}

// TestScatter has points given twice, of which one goes, and draws the rest.
func TestScatter(t *testing.T) {
	given := []point{{5, 6}, {7, 8}, {5, 6}}
	codes, err := scatter(t.Context(), newSource(1, forStructure), given, 40, insideSquare)
	if err != nil || len(codes) != 40 {
		t.Fatalf("%d points, %v", len(codes), err)
	}

	for k, c := range codes {
		if k > 0 && c <= codes[k-1] {
			t.Errorf("code %x comes after %x", c, codes[k-1])
		}
	}

	for _, p := range given {
		if !slices.Contains(codes, p.code()) {
			t.Errorf("%v is missing", p)
		}
	}
}

func TestSquare(t *testing.T) {
	for n := 4; n < 30; n++ {
		points := square(n)
		slices.SortFunc(points, func(a, b point) int { return int(int64(a.code()) - int64(b.code())) })
		points = slices.Compact(points)
		if len(points) != n {
			t.Errorf("%d points of %d are distinct", len(points), n)
		}

		for _, corner := range []point{{0, 0}, {far, 0}, {0, far}, {far, far}} {
			if !slices.Contains(points, corner) {
				t.Errorf("%d points lack the corner %v", n, corner)
			}
		}

		if slices.ContainsFunc(points, insideSquare) {
			t.Errorf("%d points: one lies inside", n)
		}
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
			if got := inCircle(p[0], p[1], p[2], p[3]); got != (inside.Sign() > 0) {
				t.Fatalf("inCircle%v = %v, determinant %v", p, got, inside)
			}
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
