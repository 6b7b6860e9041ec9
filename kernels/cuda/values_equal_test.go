package cuda

import (
	"errors"
	"math"
	"slices"
	"testing"

	"spmvtune/kernels"
)

// A matrix with one value that differs, wherever and by however little, is refused where a kernel
// would read one value for all. Verification can't tell a single value in a long row from rounding.
func TestEqualValuesAreDemanded(t *testing.T) {
	tried := 0
	for _, k := range kernels.Catalogue {
		if !slices.ContainsFunc(k.Params, func(p kernels.Param) bool { return slices.Contains(p.Values, "equal") }) {
			continue
		}
		tried++
		m := withValue(randomRows(60, 90, 70, 8), 3)
		last := m.NNZ() - 1
		for _, order := range []string{"none", "rows-by-length"} {
			for _, p := range []kernels.Precision{kernels.Float32, kernels.Float64} {
				settings := map[string]string{"values": "equal", kernels.Reorder: order}
				c := kernels.Config{Kernel: k.Name, Precision: p, Block: 64, Grid: 2,
					Params: k.Complete(kernels.NewParams(settings))}
				check := func(want string) {
					t.Helper()
					forget() // the values have changed
					_, _, err := newRecipe(m, c, p.Bytes())
					var invalid *kernels.InvalidError
					if got := errors.As(err, &invalid); got != (want != "") || got && err.Error() != want {
						t.Errorf("%s: %v, want %q", c, err, want)
					}
				}
				check("")
				for _, at := range []int{0, last / 2, last} {
					for _, v := range []float64{4, math.Nextafter(3, 4), math.NaN()} {
						m.Val[at] = v
						check("the matrix's values are not all equal")
					}
					m.Val[at] = 3
				}
			}
		}
	}
	if tried < 2 {
		t.Errorf("%d kernels leave out equal values", tried)
	}
}
