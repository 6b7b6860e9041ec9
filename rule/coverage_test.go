package rule

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"spmvtune/sparse"
)

// Where families are alike, as many times are inside of their intervals as is promised;
// where each is of a size and a speed of its own, fewer are, and the evaluation shows it.
func TestCoverage(t *testing.T) {
	for _, tt := range []struct {
		name              string
		within, between   float64 // scatter of log speed
		atLeast, atMost   float64
		offMost, offLeast float64
	}{
		{"alike", 0.2, 0, 0.7, 0.9, 1.3, 1.05},
		{"each its own", 0.01, 1, 0, 0.4, 10, 1.3},
	} {
		rng := rand.New(rand.NewPCG(5, 6))
		var obs []Observation
		for family := range 20 {
			speed := math.Exp(tt.between * rng.NormFloat64())
			for i := range 12 {
				rows := 1000*(family+1) + rng.IntN(100)
				f := sparse.Features{Rows: rows, Cols: rows, Nonzeros: 5 * rows, RowMean: 5, RowMax: 5, ColsUsed: rows}
				seconds := Traffic(&f, "float32") / 1e9 / speed * math.Exp(tt.within*rng.NormFloat64())
				o := observe(fmt.Sprintf("m%02d-%02d", family, i), f, config("a", 64, 0), seconds)
				o.Class = fmt.Sprint("class", family)
				obs = append(obs, o)
			}
		}

		r := learn(t, obs, DefaultOptions)
		list, err := Evaluate(t.Context(), r, obs, DefaultOptions)
		if err != nil {
			t.Fatal(err)
		}

		c := list[0].Times
		if c.Matrices != 240 || c.Forecast != 240 || math.Abs(c.Nominal-0.8) > 1e-9 {
			t.Errorf("%s: %+v, want forecasts of 240 matrices at 80%%", tt.name, c)
		}
		if c.Inside < tt.atLeast || c.Inside > tt.atMost || c.Off < tt.offLeast || c.Off > tt.offMost {
			t.Errorf("%s: inside %.2f, off by %.2f; want %v to %v, and %v to %v", tt.name, c.Inside, c.Off, tt.atLeast,
				tt.atMost, tt.offLeast, tt.offMost)
		}
	}
}
