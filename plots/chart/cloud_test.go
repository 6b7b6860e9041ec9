package chart

import (
	"testing"

	"gonum.org/v1/plot/vg"
)

// Of two matrices at one place neither hides the other, also if they are of different sets.
func TestMarksStandApart(t *testing.T) {
	var taken []vg.Point
	a, b := dots{radius: 3, taken: &taken}, dots{radius: 3, taken: &taken}
	at, far := vg.Point{X: 10, Y: 10}, vg.Point{X: 10, Y: 20}
	first, second := a.free(at), b.free(at)
	if first != at || second.X < at.X+6 || second.Y != at.Y {
		t.Errorf("two marks at %v are at %v and %v", at, first, second)
	}
	if got := b.free(far); got != far {
		t.Errorf("a mark at %v, which is free, is at %v", far, got)
	}
}
