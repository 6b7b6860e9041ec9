package generate

import (
	"math"
)

// cellSize is the side of a cell, in the unit of coordinates.
const cellSize = 1 << 20

// planParticles ties particles to those in the cells around theirs that are within the radius.
func planParticles(v values) (plan, error) {
	b := boxOf(v)
	if b.side < 3 {
		return plan{}, wrong("rows", "too few for so many neighbours: a box has at least 3 cells a side")
	}
	size := square(b.n, int(float64(b.n)*(1+v["neighbours"])))
	return drawn(v, size, source.symmetricValue, func(i int, _ *stream, columns []int32) []int32 {
		cell := i * b.cells() / b.n
		at := b.place(i)
		for k := range 27 {
			columns = b.within(columns, cell, [3]int{k%3 - 1, k/3%3 - 1, k/9 - 1}, at)
		}
		return columns
	})
}

// A particleBox has as many particles in each of its cells, but for rounding. A cell's side is
// at least the radius.
type particleBox struct {
	n, side int
	squared int64 // the radius
	src     source
}

func boxOf(v values) *particleBox {
	n := v.int("rows")
	share := max(v["neighbours"], 1) / (4 * math.Pi / 3) // particles in a cube as wide as the radius
	b := &particleBox{n: n, side: int(math.Cbrt(float64(n) / share)), src: newSource(v.seed(), forStructure)}
	radius := math.Cbrt(share * float64(b.cells()) / float64(n))
	b.squared = int64(radius * radius * cellSize * cellSize)
	return b
}

func (b *particleBox) cells() int { return b.side * b.side * b.side }

// first is the first particle of a cell.
func (b *particleBox) first(cell int) int { return (cell*b.n + b.cells() - 1) / b.cells() }

// place returns where in its cell a particle is.
func (b *particleBox) place(i int) [3]int64 {
	r := b.src.at(uint64(i))
	return [3]int64{int64(r % cellSize), int64(r >> 20 % cellSize), int64(r >> 40 % cellSize)}
}

// within appends the particles near a place of a cell that are in the cell at an offset from it.
func (b *particleBox) within(columns []int32, cell int, offset [3]int, at [3]int64) []int32 {
	other, width := 0, 1
	for d, rest := 0, cell; d < 3; d, rest = d+1, rest/b.side {
		other += (rest%b.side + offset[d] + b.side) % b.side * width
		width *= b.side
	}

	for j := b.first(other); j < b.first(other+1); j++ {
		squared := int64(0)
		for d, p := range b.place(j) {
			distance := int64(offset[d])*cellSize + p - at[d]
			squared += distance * distance
		}
		if squared <= b.squared {
			columns = append(columns, int32(j))
		}
	}
	return columns
}
