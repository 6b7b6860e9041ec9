// SPDX-License-Identifier: Apache-2.0

package generate

import (
	"cmp"
	"slices"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/sparse"
)

// TestTwinLocality holds the two forms of rail4284 against each other: rows of the same
// lengths, and what docs/matrices.md says of sectors, neighbours and similar rows.
func TestTwinLocality(t *testing.T) {
	form := func(locality string) *sparse.CSR[float64] {
		scale := cmp.Or(*twinTable, 0.3)
		return build(t, "twin", map[string]any{"of": "rail4284", "scale": scale, "locality": locality})
	}
	local, scattered := form("published"), form("scattered")
	testkit.EqualLists(t, local.RowPtr, scattered.RowPtr, "the forms have rows of other lengths")

	for _, c := range []struct {
		name    string
		m       *sparse.CSR[float64]
		sectors float64 // what 32 consecutive entries touch
	}{{"published", local, 7.4}, {"scattered", scattered, 10.5}} {
		f := sparse.Analyze(c.m)
		near := func(what string, got, want, off float64) {
			t.Helper()
			testkit.Near(t, got, want, off, "%s: %s", c.name, what)
		}
		near("sectors", sparse.SectorsPer32(c.m), c.sectors, 0.5)
		near("neighbours", f.NeighbourRate, 1.57627, 0.05)
		near("similarity", f.RowSimilarity, 0.269166, 0.05)
	}

	// A line of 128 bytes holds 32 columns, and 32 entries of the local form touch few.
	for _, c := range []struct {
		width            int32
		local, scattered float64 // bounds
	}{{8, 7, 9}, {32, 3, 6}, {64, 2, 5}} {
		l, s := blocks(local, c.width), blocks(scattered, c.width)
		t.Logf("32 entries of a row touch %.2f blocks of %d columns, scattered %.2f", l, c.width, s)
		testkit.Check(t, l <= c.local && s >= c.scattered, "more than %v, or less than %v", c.local, c.scattered)
	}
}

// blocks returns how many blocks of columns, so many wide, 32 entries of a row touch.
func blocks(m *sparse.CSR[float64], width int32) float64 {
	blocks := 0
	for i := range m.Rows {
		columns, _ := m.Row(i)
		last := int32(-1)
		for _, j := range columns {
			if j/width != last {
				last = j / width
				blocks++
			}
		}
	}
	return 32 * float64(blocks) / float64(m.NNZ())
}

// TestSlackColumns: the last columns of rail4284 are the identity.
func TestSlackColumns(t *testing.T) {
	for _, scale := range []float64{1e-9, 0.001, 0.01} {
		m := build(t, "twin", map[string]any{"of": "rail4284", "scale": scale})
		structural := m.Cols - m.Rows
		if structural == 0 {
			continue
		}
		for i := range m.Rows {
			columns, _ := m.Row(i)
			slack, _ := slices.BinarySearch(columns, int32(structural))
			if len(columns)-slack != 1 || columns[slack] != int32(structural+i) {
				t.Fatalf("scale %v: row %d ends with %v", scale, i, columns[slack:])
			}
		}
	}
}

// TestMouseGenes holds the published form of mouse_gene against the degrees that are published
// of the network.
func TestMouseGenes(t *testing.T) {
	testkit.Long(t, "29 million nonzeros")
	f := sparse.Analyze(build(t, "twin", map[string]any{"of": "mouse_gene"}))
	testkit.Near(t, float64(f.RowMedian), 235, 12, "median")
	testkit.Near(t, float64(f.RowMax), 8032, 80, "longest row")
}

// TestGenesAsHuman makes a matrix of human_gene1's size and lengths with the pattern of
// mouse_gene's published form, and holds it against what is published of human_gene1; and one
// with columns at random.
func TestGenesAsHuman(t *testing.T) {
	testkit.Long(t, "25 million nonzeros")
	human := *twinNamed(t, "mouse_gene")
	human.Name = "human_gene1"
	human.Rows, human.Cols, human.NNZ = 22283, 22283, 24669643
	human.Law.Std, human.Law.Max, human.Longest = 1450, 7000, 7939
	before, with := twins, append(slices.Clone(twins()), human)
	twins = func() []twin { return with }
	defer func() { twins = before }()

	fitted, random := human.Local.Pattern, human.Local.Pattern
	random.Run, random.Keep = 1, 1
	for _, c := range []struct {
		pattern             pattern
		neighbours, similar float64
	}{{fitted, 0.48228, 0.28206}, {random, 0.36, 0.23}} {
		twins()[len(twins())-1].Local = &form{Pattern: c.pattern}
		p := testkit.Must(planTwin(values{"of": float64(len(twins()) - 1), "scale": 1, "seed": 1}))
		m := testkit.Must(p.build(t.Context()))
		f := sparse.Analyze(m)
		testkit.Near(t, f.NeighbourRate, c.neighbours, 0.02, "neighbours")
		testkit.Near(t, f.RowSimilarity, c.similar, 0.02, "similarity")
	}
}
