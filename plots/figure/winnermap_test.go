package figure

import (
	"slices"
	"testing"

	"spmvtune/internal/testing/synthetic"
	"spmvtune/plots/canvas"
	"spmvtune/plots/data"
	"spmvtune/plots/number"
)

// The map has every share of a few matrices, and folds many into classes of row lengths.
func TestWinnerMap(t *testing.T) {
	d := synthetic.Processor().Report()
	pages, _ := drawWinners(d)
	texts := textsOf(pages[0])
	c := d.NewContest(d.In(d.Setups()[0]))
	for i := range c.Standings {
		s := &c.Standings[i]
		for j := range s.Entries {
			for _, want := range []string{s.Kernel, c.Places[j].Matrix, number.OfBest(s.Entries[j].Share)} {
				if !slices.Contains(texts, want) {
					t.Errorf("%s on %s: %q is not on the map", s.Kernel, c.Places[j].Matrix, want)
				}
			}
		}
	}

	d = synthetic.Crowd(mostMatrices.page+1, 64, 6).Report()
	pages, _ = drawWinners(d)
	texts = textsOf(pages[0])
	if first := d.Matrices[0]; slices.Contains(texts, first.Name) ||
		!slices.Contains(texts, data.RowClass(first.RowMean)) {
		t.Errorf("%s, of %d, is not folded into a class: %q", first.Name, len(d.Matrices), texts)
	}
}

// Where there is no room for all kernels, those that win somewhere stay.
func TestWinnerMapKeepsWinners(t *testing.T) {
	defer canvas.ForPaper(240)()
	d := synthetic.Crowd(8, 64, 30).Report()
	s := d.Setups()[0]
	c := d.NewContest(d.In(s))
	m := winnerMapOf(d, c)
	if len(m.kernels) >= len(c.Standings) {
		t.Fatalf("%d kernels have room", len(m.kernels))
	}
	last := m.kernels[len(m.kernels)-1]
	for k := range c.Standings {
		if c.Standings[k].Named > 0 && !slices.Contains(m.kernels, k) {
			t.Errorf("%s is named the best on %d, and not drawn", c.Standings[k].Kernel, c.Standings[k].Named)
		}
	}
	if !slices.IsSorted(m.kernels) || last == len(m.kernels)-1 {
		t.Errorf("drawn are %v: no winner is among the last", m.kernels)
	}
}
