// SPDX-License-Identifier: Apache-2.0

package sparse

import (
	"fmt"
	"slices"
	"sync/atomic"

	"example.org/spmvtune/internal/base/panics"
)

// A Diagonals is the structure of a matrix in slices of 32 rows that are stored by diagonals: a
// slot of a slice holds the entries of its rows at one distance from the main diagonal. Columns
// take no memory but for the distances of a slice, which slices with equal ones share. It suits
// stencils (Sun, Zhang, Wang, Zhang and Li, ICPP 2011, store diagonals of row segments so).
type Diagonals struct {
	Rows, Cols int
	Slots      int
	// Turn is how many slots a product takes at a time. Slices are filled up to whole turns by
	// slots without entries, at distance 0.
	Turn int
	// Heads has two numbers for a slice: how many slots are before it, and the place of its first
	// turn in Distances times 256, plus the number of its turns.
	Heads []int32
	// Distances are column less row, rising within a slice. Those of a turn have Stride places.
	Distances []int32
	// Order has for each lane of each slot the place of its nonzero, −1 where there is none.
	Order []int32
}

// MaxDiagonals is the most diagonals of a slice.
const MaxDiagonals = 255

// Stride returns how many places a turn has in Distances: whole fours, which are read at once.
func (d *Diagonals) Stride() int { return (d.Turn + 3) / 4 * 4 }

// NewDiagonals converts m, on all cores, for products that take turn slots at a time. A matrix
// that takes more than most entries is refused, before memory is allocated for them.
func NewDiagonals[V Float](m *CSR[V], turn, most int) (*Diagonals, error) {
	d := &Diagonals{Rows: m.Rows, Cols: m.Cols, Turn: turn}
	n := (m.Rows + sliceRows - 1) / sliceRows
	books := make([]diagonalBook, workers(m.NNZ()))
	var slots, crowded atomic.Int64
	panics.Parts(n, len(books), func(part, lo, hi int) {
		book := newDiagonalBook(hi - lo)
		for h := lo; h < hi && crowded.Load() == 0 && slots.Load()*sliceRows <= int64(most); h++ {
			own := diagonalsOf(m, h, &book)
			if len(own) > MaxDiagonals {
				crowded.Store(int64(len(own)))
				return
			}
			book.add(own)
			slots.Add(int64((len(own) + turn - 1) / turn * turn))
		}
		books[part] = book
	})

	if k := crowded.Load(); k > 0 {
		return nil, fmt.Errorf("32 rows have entries on more than %d diagonals", MaxDiagonals)
	}
	if slots.Load()*sliceRows > int64(most) {
		return nil, fmt.Errorf("stored by diagonals, the %d nonzeros take more than the %d entries allowed", m.NNZ(),
			most)
	}
	if err := d.merge(books, n); err != nil {
		return nil, err
	}
	d.Order = make([]int32, d.Slots*sliceRows)
	panics.Parts(n, len(books), func(_, lo, hi int) {
		var distances []int32
		for h := lo; h < hi; h++ {
			distances = fillDiagonals(d, m, h, distances)
		}
	})
	return d, nil
}

// Slice returns the first slot of slice h and the distances of its slots, those that fill up its
// turns among them. They are put into the memory of distances if it is large enough.
func (d *Diagonals) Slice(h int, distances []int32) (slot int, filled []int32) {
	distances = distances[:0]
	at := int(uint32(d.Heads[2*h+1])>>8) * d.Stride()
	for range d.Heads[2*h+1] & MaxDiagonals {
		distances = append(distances, d.Distances[at:at+d.Turn]...)
		at += d.Stride()
	}
	return int(d.Heads[2*h]), distances
}

// A diagonalBook is a worker's lists of distances, each once.
type diagonalBook struct {
	ids       map[string]int32
	lists     [][]int32
	slices    []int32 // of each slice of the worker: its list
	own, next []int32 // scratch
	key       []byte
}

func newDiagonalBook(slices int) diagonalBook {
	return diagonalBook{ids: map[string]int32{}, slices: make([]int32, 0, slices)}
}

// add notes the list of the worker's next slice.
func (b *diagonalBook) add(list []int32) {
	if n := len(b.slices); n > 0 && slices.Equal(b.lists[b.slices[n-1]], list) {
		b.slices = append(b.slices, b.slices[n-1])
		return
	}
	b.slices = append(b.slices, b.id(list))
}

func (b *diagonalBook) id(list []int32) int32 {
	b.key = b.key[:0]
	for _, d := range list {
		b.key = append(b.key, byte(d), byte(d>>8), byte(d>>16), byte(d>>24))
	}
	id, ok := b.ids[string(b.key)]
	if !ok {
		id = int32(len(b.lists))
		b.ids[string(b.key)] = id
		b.lists = append(b.lists, slices.Clone(list))
	}
	return id
}

// diagonalsOf returns the distances of slice h, which are valid until the next call. It stops
// where there are too many.
func diagonalsOf[V Float](m *CSR[V], h int, b *diagonalBook) []int32 {
	b.own = b.own[:0]
	for i := h * sliceRows; i < min((h+1)*sliceRows, m.Rows) && len(b.own) <= MaxDiagonals; i++ {
		columns := m.ColIdx[m.RowPtr[i]:m.RowPtr[i+1]]
		if !onDiagonals(columns, int32(i), b.own) {
			b.next = unite(b.next[:0], b.own, columns, int32(i))
			b.own, b.next = b.next, b.own
		}
	}
	return b.own
}

// onDiagonals reports whether all columns of row i lie on these diagonals.
func onDiagonals(columns []int32, i int32, distances []int32) bool {
	k := 0
	for _, c := range columns {
		for k < len(distances) && distances[k] < c-i {
			k++
		}
		if k == len(distances) || distances[k] != c-i {
			return false
		}
	}
	return true
}

// unite appends the distances and those of row i to to, without repetition.
func unite(to, distances, columns []int32, i int32) []int32 {
	k := 0
	for _, c := range columns {
		for ; k < len(distances) && distances[k] < c-i; k++ {
			to = append(to, distances[k])
		}
		if k == len(distances) || distances[k] != c-i {
			to = append(to, c-i)
		}
	}
	return append(to, distances[k:]...)
}

// merge writes Heads and Distances. Their order does not depend on the number of books.
func (d *Diagonals) merge(books []diagonalBook, n int) error {
	all := newDiagonalBook(0)
	var at []int // of each list: the place of its first turn
	d.Heads = make([]int32, 0, 2*n)
	for _, book := range books {
		ids := make([]int32, len(book.lists))
		for local, list := range book.lists {
			ids[local] = all.id(list)
			if int(ids[local]) == len(at) {
				at = append(at, len(d.Distances)/d.Stride())
				d.addTurns(list)
			}
		}
		for _, local := range book.slices {
			count := (len(book.lists[local]) + d.Turn - 1) / d.Turn
			d.Heads = append(d.Heads, int32(d.Slots), int32(uint32(at[ids[local]])<<8|uint32(count)))
			d.Slots += count * d.Turn
		}
	}
	if len(d.Distances)/d.Stride() >= 1<<24 {
		return fmt.Errorf("%d are too many distinct diagonals for this format", len(d.Distances))
	}
	return nil
}

// addTurns appends a list to Distances.
func (d *Diagonals) addTurns(list []int32) {
	for turn := range slices.Chunk(list, d.Turn) {
		d.Distances = append(d.Distances, turn...)
		d.Distances = append(d.Distances, make([]int32, d.Stride()-len(turn))...)
	}
}

// fillDiagonals writes the entries of slice h, whose distances it puts into scratch.
func fillDiagonals[V Float](d *Diagonals, m *CSR[V], h int, scratch []int32) []int32 {
	slot, distances := d.Slice(h, scratch)
	order := d.Order[slot*sliceRows : (slot+len(distances))*sliceRows]
	for at := range order {
		order[at] = -1
	}
	for i := h * sliceRows; i < min((h+1)*sliceRows, m.Rows); i++ {
		k := 0
		for j := m.RowPtr[i]; j < m.RowPtr[i+1]; j++ {
			for distances[k] != m.ColIdx[j]-int32(i) {
				k++
			}
			order[k*sliceRows+i%sliceRows] = j
		}
	}
	return distances
}
