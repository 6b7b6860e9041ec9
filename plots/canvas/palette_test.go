package canvas

import (
	"fmt"
	"image/color"
	"math"
	"reflect"
	"slices"
	"testing"

	"spmvtune/kernels"
)

// TestLooks: every kernel of the catalogue differs from every other in colour
// or marker, and neighbours differ in grey.
func TestLooks(t *testing.T) {
	seen := map[string]string{}
	for _, name := range kernels.Names() {
		l := LookOf(name)
		key := fmt.Sprint(l.Color, l.Marker)
		if other, taken := seen[key]; taken {
			t.Errorf("%s looks like %s", name, other)
		}
		seen[key] = name
	}
	grey := func(c color.RGBA) float64 { return 0.299*float64(c.R) + 0.587*float64(c.G) + 0.114*float64(c.B) }
	for i := range Hues {
		if d := math.Abs(grey(Hues[i]) - grey(Hues[(i+1)%len(Hues)])); d < 20 {
			t.Errorf("colours %d and %d differ by %.0f of 255 in grey", i, i+1, d)
		}
	}
}

// A kernel that the catalogue gains changes no other kernel's look.
func TestLooksStay(t *testing.T) {
	catalogue := kernels.Catalogue
	defer func() { kernels.Catalogue = catalogue }()
	looks := map[string]Look{}
	for _, name := range append(kernels.Names(), "my_own") {
		looks[name] = LookOf(name)
	}

	kernels.Catalogue = slices.Insert(slices.Clone(catalogue), 3,
		kernels.Kernel{Name: "inserted", Look: len(catalogue) + 1})
	for name, look := range looks {
		if got := LookOf(name); !reflect.DeepEqual(got, look) {
			t.Errorf("%s changes from %+v to %+v", name, look, got)
		}
	}
}
