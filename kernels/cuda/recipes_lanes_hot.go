package cuda

import (
	"math/bits"

	"spmvtune/kernels"
)

// hotLanes gives the kernel places in shared memory for the elements of x that most nonzeros need.
func hotLanes(m *structure, r *recipe, main *step, c kernels.Config, v int) error {
	const (
		column = "lanes_hot_columns"
		tags   = "lanes_tags"
		hotX   = "lanes_hot_x"
	)
	places := lanesPlaces(c, v)
	width := bits.Len(uint(max(m.Cols, 256) - 1))
	if 1<<width > 256*places {
		return invalid("%d columns for %d places in shared memory; a tag of 8 bits tells 256 apart", m.Cols, places)
	}
	type key struct{ places int }
	p := pack(m, key{places}, func() (*hotPlaces, int64) { return newHotPlaces(m, places, width), int64(5 * places) })

	main.Shared = places * (v + 1)
	main.Args = append(main.Args, ptr(hotX), ptr(tags), num(places), num(width))
	r.Aux = append(r.Aux, aux{Name: column, Ints: p.column}, aux{Name: tags, Ints: p.tags},
		aux{Name: hotX, Values: places})
	r.Steps = append(r.Steps, step{
		Entry: c.Kernel + "_x", Grid: ceilDiv(places*min(m.Cols, 1), smallBlock), Block: smallBlock,
		Args: []arg{ptr(vecX), ptr(column), ptr(hotX), num(places)},
	})
	return nil
}

// lanesPlaces is how many elements of x have a place and a tag in shared memory.
func lanesPlaces(c kernels.Config, v int) int { return settingInt(c, "x_kb") << 10 / (v + 1) / 16 * 16 }

// hotPlaces are the columns that have places, and their tags, four in an element.
type hotPlaces struct{ column, tags []int32 }

// newHotPlaces gives each place the column that occurs most of those that csr_lanes.cu scatters to it. A
// place whose columns don't occur has column 0, which nobody looks for there.
func newHotPlaces(m *structure, places, bits int) *hotPlaces {
	p := &hotPlaces{make([]int32, places), make([]int32, places/4)}
	most := make([]int32, places)
	for col, n := range columnDegrees(m.ColIdx, m.Cols) {
		if at, _ := placeOfColumn(col, places, bits); n > most[at] {
			most[at], p.column[at] = n, int32(col)
		}
	}
	for at, col := range p.column {
		_, tag := placeOfColumn(int(col), places, bits)
		p.tags[at/4] |= int32(tag) << (at % 4 * 8)
	}
	return p
}

// placeOfColumn is where csr_lanes.cu looks for the column, and the tag that it expects there.
func placeOfColumn(col, places, bits int) (place int, tag uint8) {
	const scatter = 2654435769 // SCATTER of csr_lanes.cu
	scattered := uint32(col) * scatter << (32 - bits)
	return int(uint64(scattered) * uint64(places) >> 32), uint8(scattered >> (32 - bits))
}
