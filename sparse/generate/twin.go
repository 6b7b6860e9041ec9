// SPDX-License-Identifier: Apache-2.0

package generate

import (
	"context"
	"math"

	"example.org/spmvtune/sparse"
)

func planTwin(v values) (plan, error) {
	t, scale := twinOf(v), v["scale"]
	if v.int("locality") == scatteredLocality && t.Local == nil {
		return plan{}, wrong("locality", "%s has no scattered form; leave it out", t.Name)
	}
	if other, ok := imitations[t.Name]; ok {
		args := other.args(scale)
		args["seed"] = v["seed"]
		return other.plan(args)
	}
	size := t.size(scale)
	if size.Rows > 16*t.HubStretch { // fewer have no such share of stretches
		size.Longest = int(float64(t.Hub) / float64(t.Rows) * float64(size.Rows))
	}
	return plan{size.Size, func(ctx context.Context) (*sparse.CSR[float64], error) {
		return t.build(ctx, size, scale, v.seed())
	}}, nil
}

// imitations are the twins that other generators make, with their arguments.
var imitations = map[string]struct {
	plan planner
	args func(scale float64) values
}{
	"delaunay_n23": {planDelaunay, func(scale float64) values {
		return values{"points": times(1<<23, scale, 1)}
	}},
	"hugetrace-00000": {planDual, func(scale float64) values {
		rows := times(4588484, scale, 2)
		border := min(times(7186, math.Sqrt(scale), 4), rows+2)
		if math.Mod(rows+border, 2) != 0 {
			rows++
		}
		return values{"rows": rows, "border": border}
	}},
	"mycielskian16": {planMycielskian, func(scale float64) values {
		return values{"order": max(2, math.Round(16+math.Log2(scale)))} // rows double with each order
	}},
	"mc2depi": {planTriangular, func(scale float64) values {
		return values{"nx": times(512, math.Sqrt(scale), 1), "ny": times(1024, math.Sqrt(scale), 1)}
	}},
	"ecology1": {planGrid, func(scale float64) values {
		n := times(1000, math.Sqrt(scale), 1)
		return values{"nx": n, "ny": n}
	}},
}

// times is n·scale rounded, at least least.
func times(n, scale, least float64) float64 { return max(least, math.Round(n*scale)) }

// Forms of a twin, by their places among localities.
const (
	publishedLocality = iota
	scatteredLocality
)

// localities are the choices of a twin's argument locality.
var localities = []string{"published", "scattered"}

// twinOf returns the twin that is asked for, in the form that is asked for.
func twinOf(v values) *twin {
	t := twins()[v.int("of")]
	if t.Local == nil || v.int("locality") == scatteredLocality {
		return &t
	}
	t.Pattern = t.Local.Pattern
	if t.Local.Law != (law{}) {
		t.Law, t.Longest = t.Local.Law, t.Local.Longest
	}
	return &t
}

// hasForms reports whether there are two forms of the twin that is asked for.
func hasForms(v values) bool { return twins()[v.int("of")].Local != nil }

// TwinLocality says which of the two forms of a twin the generator makes of args, in the words
// of the argument locality; "" if it makes no twin, or there is one form of it.
func TwinLocality(generator string, args map[string]any) string {
	g, v, _, err := prepare(generator, args)
	if err != nil || g.Name != "twin" || !hasForms(v) {
		return ""
	}
	return localities[v.int("locality")]
}

// A twinSize is the size of a twin, and of what a symmetric one is made of.
type twinSize struct {
	Size
	below    int // entries below the diagonal
	diagonal int // the first row with a diagonal entry; Rows: none has one
}

// size is the published one times scale, rounded: at least a row and a column, and entries in
// at most half of all places. An entry of a symmetric twin has a mirror image. So if the number
// of entries would be odd, the first row has no diagonal entry or, if no row has one, there is
// one entry less.
func (t *twin) size(scale float64) twinSize {
	scaled := func(n int) int { return max(1, int(math.Round(float64(n)*scale))) }
	s := twinSize{Size: Size{Rows: scaled(t.Rows), Cols: scaled(t.Cols)}}
	if !t.Symmetric {
		s.NNZ = max(1, min(scaled(t.NNZ), s.Rows*s.Cols/2))
		return s
	}

	on := 0
	s.diagonal = s.Rows
	if t.Pattern.Diagonal {
		on, s.diagonal = s.Rows, 0
	}

	nnz := max(scaled(t.NNZ), on)
	if (nnz-on)%2 != 0 && on > 0 {
		on, s.diagonal = on-1, 1
	}
	s.below = min((nnz-on)/2, s.Rows*(s.Rows-1)/4)
	s.NNZ = 2*s.below + on
	return s
}

// build makes the twin of a published matrix. A symmetric one is made below the diagonal
// and mirrored, which takes 16 bytes a row and 4 an entry in addition to the matrix.
func (t *twin) build(ctx context.Context, size twinSize, scale float64, seed uint64) (*sparse.CSR[float64], error) {
	f := &filler{
		pattern: t.Pattern, rows: size.Rows, cols: size.Cols, scale: scale,
		src: newSource(seed, forStructure), lower: t.Symmetric, avoid: none,
	}
	if t.Symmetric {
		f.avoid, _ = t.longestRow(size)
	}

	if t.Hub > 0 {
		f.hub, f.stretch = float64(t.Hub)/float64(t.Rows), t.HubStretch
	}
	lengths := t.lengths(size, scale, newSource(seed, forLengths))
	src := newSource(seed, forValues)
	value := src.value
	if t.Symmetric {
		value = src.symmetricValue
	}

	if t.Binary {
		value = one
	}
	a := assembly{
		rows: size.Rows, cols: size.Cols,
		length: func(i int) int { return int(lengths[i]) },
		fill:   f.fill,
		value:  value,
	}
	if !t.Symmetric {
		return a.build(ctx)
	}

	f.offsets = make([]int32, size.Rows+1)
	for i, n := range lengths {
		f.offsets[i+1] = f.offsets[i] + n
	}
	a.value = nil
	return symmetric(ctx, func(i int) bool { return i >= size.diagonal }, value, a.build)
}

// longestRow returns which row of a symmetric twin is longer than the law's rows, and
// how long it is below the diagonal; it has nothing above. Length 0: there is none.
func (t *twin) longestRow(size twinSize) (row, length int) {
	if t.Longest == 0 || size.Rows < 8 {
		return none, 0
	}
	length = min(t.Longest, size.Rows/2)
	if t.Pattern.Diagonal {
		length--
	}
	return size.Rows * 3 / 4, min(length, size.below/2)
}

// lengths gives every row its number of entries, of symmetric twins of those below the
// diagonal.
func (t *twin) lengths(size twinSize, scale float64, src source) []int32 {
	l, total := t.Law, size.NNZ
	if scale < 1 {
		l = l.within(size.Size)
	}
	out := make([]int32, size.Rows)
	rest := out
	at, longest := none, 0

	if t.Symmetric {
		half := func(n int) int { return max(0, n) / 2 }
		if t.Pattern.Diagonal {
			half = func(n int) int { return max(0, n-1) / 2 }
		}
		total = size.below
		l.Min, l.Max, l.Low, l.Std = half(l.Min), half(l.Max+1), half(l.Low), l.Std/2
		if t.Widen > 0 {
			l.Std *= t.Widen
		}

		if at, longest = t.longestRow(size); longest > 0 {
			rest = out[:len(out)-1]
		}
	}

	bins := l.bins(len(rest), total-longest, size.Cols)
	if t.Stretch == 0 {
		// A slope has room for the columns of its longest row on both sides.
		hills(bins, min(t.Hills, size.Rows/(8*l.Max+1)), rest)
	} else {
		shuffled(bins, t.Stretch, src, rest)
	}

	if t.Pattern.Regular {
		slope(rest, t.Pattern.block())
	}
	if longest > 0 {
		copy(out[at+1:], out[at:])
		out[at] = int32(longest)
	}

	if t.Symmetric {
		fitBelow(out)
	}
	return out
}

// slope tilts the lengths in each dense block, of which the first row has nothing below
// the diagonal, and the last all others.
func slope(lengths []int32, block int) {
	for first := 0; first+block <= len(lengths); first += block {
		for r := range block / 2 {
			from, to := &lengths[first+r], &lengths[first+block-1-r]
			n := min(int32(block-1-2*r)/2, *from)
			*from -= n
			*to += n
		}
	}
}

// fitBelow leaves no row longer than the number of columns left of its diagonal. The excess
// goes to the rows that have room, one entry each.
func fitBelow(lengths []int32) {
	over := 0
	for i, n := range lengths {
		if int(n) > i {
			over += int(n) - i
			lengths[i] = int32(i)
		}
	}

	for over > 0 {
		for i := range lengths {
			if over > 0 && int(lengths[i]) < i {
				lengths[i]++
				over--
			}
		}
	}
}
