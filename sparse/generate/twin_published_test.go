// SPDX-License-Identifier: Apache-2.0

package generate

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
)

var twinTable = flag.Float64("twintable", 0, "print twins at this scale beside what is published of the originals")

// TestTwinsAsPublished makes the twins that take less than a few seconds at full size
// and holds them against the originals: size exactly, deviation and longest row of the
// rows within 5%, mean span within 10%, or as far off as is said here, and neighbours and
// similarity within 0.1.
func TestTwinsAsPublished(t *testing.T) {
	testkit.Long(t, "up to 40 million nonzeros each")
	// Farther off: rows whose columns follow other rows' popularity, or a hub.
	spans := map[string]float64{"sx-stackoverflow": 0.5, "mawi_201512012345": 0.25}
	for _, p := range published {
		k := twinNamed(t, p.name)
		if slices.Contains([]string{"europe_osm", "mawi_201512020330", "delaunay_n23", "hugetrace-00000"}, p.name) {
			continue
		}
		m := build(t, "twin", map[string]any{"of": p.name})
		got := measure(m)
		if k.Rows > 0 && (m.Rows != k.Rows || m.Cols != k.Cols || m.NNZ() != k.NNZ) {
			t.Errorf("%s: %v, not %d×%d, %d", p.name, m, k.Rows, k.Cols, k.NNZ)
		}

		if k.Symmetric {
			isSymmetric(t, p.name, m)
		}
		near := func(what string, got, want, relative, absolute float64) {
			t.Helper()
			if want != 0 && math.Abs(got-want) > relative*want+absolute {
				t.Errorf("%s: %s is %.4g, published %.4g", p.name, what, got, want)
			}
		}

		near("mean", got.rowMean, p.rowMean, 0.002, 0) // published with three or four digits
		near("deviation", got.rowStd, p.rowStd, 0.05, 0)
		near("longest row", float64(got.rowMax), float64(p.rowMax), 0.05, 0)
		near("span", got.span, p.span, max(0.1, spans[p.name]), 0)
		near("neighbour rate", got.neighbours, p.neighbours, 0, 0.1)
		near("similarity", got.similar, p.similar, 0, 0.1)
	}
}

// TestTwinTable prints, when asked to, twins beside what is published of the originals.
func TestTwinTable(t *testing.T) {
	if *twinTable == 0 {
		t.Skip("prints a table if -twintable gives a scale")
	}
	for _, p := range published {
		forms := []string{"published"}
		if twinNamed(t, p.name).Local != nil {
			forms = localities
		}
		for _, form := range forms {
			m := build(t, "twin", map[string]any{"of": p.name, "scale": *twinTable, "locality": form})
			fmt.Printf("%s, columns as %s: %v\n made      %+v\n published %+v\n", p.name, form, m, measure(m), p.likeness)
		}
	}
}
