// SPDX-License-Identifier: Apache-2.0

package sparse

import (
	"fmt"
	"runtime"
	"slices"

	"example.org/spmvtune/internal/base/panics"
)

// A SELL is a matrix in SELL-C-σ form (Kreutzer, Hager, Wellein, Fehske and
// Bishop, SIAM J. Sci. Comput. 36(5), 2014). Rows are sorted by falling length
// within windows of Sigma rows, then cut into chunks of C rows. A chunk is as
// wide as its longest row, and is stored column by column: entry k of the row
// in lane r of chunk h is at ChunkPtr[h] + k·C + r.
//
// Shorter rows, and lanes beyond the last row, are padded with the value 0. The
// padding of a row repeats its last column, which a product has just read, so
// that it adds 0·x[j] for an x[j] that the row reads anyway; empty rows and
// lanes beyond the end repeat column 0. The result is exact for finite x.
type SELL[V Float] struct {
	Rows, Cols int
	C, Sigma   int
	Perm       []int32 // Rows entries: slot h·C + r holds row Perm[h·C+r]; later slots hold none
	ChunkPtr   []int   // chunks + 1 offsets, in entries; padding can take them past 2³¹
	ColIdx     []int32 // entries and padding
	Val        []V     // entries and padding
	nnz        int
}

// maxChunk bounds C, so that no sum of padded sizes overflows.
const maxChunk = 1 << 30

// NewSELL converts m, in time linear in rows, nonzeros and padding, on all
// cores. Sigma is 1 (no sorting) or a multiple of c; a window may be longer
// than the matrix. A matrix that takes more than maxEntries entries with its
// padding is refused before memory is allocated for them; 0 is no bound.
func NewSELL[V Float](m *CSR[V], c, sigma, maxEntries int) (*SELL[V], error) {
	s, err := outlineSELL(m, c, sigma)
	if err != nil {
		return nil, err
	}
	chunks := len(s.ChunkPtr) - 1
	total := s.ChunkPtr[chunks]
	if maxEntries > 0 && total > maxEntries {
		return nil, fmt.Errorf("SELL with chunks of %d and windows of %d needs %d entries for %d nonzeros, more "+
			"than the %d allowed",
			c, sigma, total, s.nnz, maxEntries)
	}

	s.ColIdx, s.Val = make([]int32, total), make([]V, total)

	// Every worker fills the chunks that start in its share of the entries.
	var wg panics.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	first := func(worker int) int {
		if worker == workers {
			return chunks
		}
		h, _ := slices.BinarySearch(s.ChunkPtr[:chunks], worker*(total/workers))
		return h
	}

	for w := range workers {
		wg.Go(func() {
			for h, end := first(w), first(w+1); h < end; h++ {
				s.fillChunk(m, h)
			}
		})
	}

	wg.Wait()
	return s, nil
}

// SELLEntries is how many entries NewSELL would store, padding included, from the row
// offsets alone.
func SELLEntries[V Float](m *CSR[V], c, sigma int) (int, error) {
	s, err := outlineSELL(m, c, sigma)
	if err != nil {
		return 0, err
	}
	return s.ChunkPtr[len(s.ChunkPtr)-1], nil
}

// OutlineSELL is NewSELL without the entries, on all cores: ColIdx and Val are nil.
func OutlineSELL[V Float](m *CSR[V], c, sigma int) (*SELL[V], error) {
	unit := max(c, sigma, 1) // rows that stay together
	units := (m.Rows + unit - 1) / unit
	pieces := make([]*SELL[V], min(workers(m.Rows), max(units, 1)))
	perm := make([]int32, m.Rows)
	var failure error
	panics.Parts(units, len(pieces), func(part, lo, hi int) {
		lo, hi = lo*unit, min(hi*unit, m.Rows)
		piece, err := outlineSELL(&CSR[V]{Rows: hi - lo, RowPtr: m.RowPtr[lo : hi+1]}, c, sigma)
		if pieces[part] = piece; err != nil {
			if part == 0 { // as in all others
				failure = err
			}
			return
		}
		for i, row := range piece.Perm {
			perm[lo+i] = int32(lo) + row
		}
	})
	if failure != nil {
		return nil, failure
	}

	s := &SELL[V]{Rows: m.Rows, Cols: m.Cols, C: c, Sigma: sigma, nnz: m.NNZ(), Perm: perm, ChunkPtr: []int{0}}
	for _, piece := range pieces {
		before := s.ChunkPtr[s.Chunks()]
		for _, at := range piece.ChunkPtr[1:] {
			s.ChunkPtr = append(s.ChunkPtr, before+at)
		}
	}
	return s, nil
}

// outlineSELL finds the order of rows and the widths of chunks.
func outlineSELL[V Float](m *CSR[V], c, sigma int) (*SELL[V], error) {
	if c < 1 || c > maxChunk {
		return nil, fmt.Errorf("chunk height %d is not between 1 and %d", c, maxChunk)
	}
	if sigma < 1 || sigma != 1 && sigma%c != 0 {
		return nil, fmt.Errorf("sorting window %d is neither 1 nor a multiple of the chunk height %d", sigma, c)
	}

	chunks := (m.Rows + c - 1) / c
	s := &SELL[V]{
		Rows: m.Rows, Cols: m.Cols, C: c, Sigma: sigma, nnz: m.NNZ(),
		Perm:     sortWindows(m.RowPtr, m.Rows, sigma),
		ChunkPtr: make([]int, chunks+1),
	}

	for h := range chunks {
		width := 0
		for _, i := range s.Perm[h*c : min((h+1)*c, m.Rows)] {
			width = max(width, int(m.RowPtr[i+1]-m.RowPtr[i]))
		}
		s.ChunkPtr[h+1] = s.ChunkPtr[h] + width*c
	}

	return s, nil
}

// fillChunk writes chunk h lane by lane.
func (s *SELL[V]) fillChunk(m *CSR[V], h int) {
	base, width := s.ChunkPtr[h], s.Width(h)
	for r := range min(s.C, s.Rows-h*s.C) { // what lies beyond stays 0
		columns, values := m.Row(int(s.Perm[h*s.C+r]))
		at := base + r
		for k, j := range columns {
			s.ColIdx[at], s.Val[at] = j, values[k]
			at += s.C
		}

		if len(columns) == 0 {
			continue
		}
		last := columns[len(columns)-1]

		for range width - len(columns) {
			s.ColIdx[at] = last
			at += s.C
		}
	}
}

// sortWindows returns the rows in order of falling length within each window of
// sigma rows, rows of equal length in their old order. It is a counting sort:
// its time is linear in rows and nonzeros, because a window's longest row is no
// longer than the window's nonzeros.
func sortWindows(rowPtr []int32, rows, sigma int) []int32 {
	perm := make([]int32, rows)
	if sigma == 1 {
		for i := range perm {
			perm[i] = int32(i)
		}
		return perm
	}

	var place []int32 // by length: first the number of rows, then the next free place
	for lo := 0; lo < rows; lo += sigma {
		hi := min(lo+sigma, rows)
		longest := int32(0)
		for i := lo; i < hi; i++ {
			longest = max(longest, rowPtr[i+1]-rowPtr[i])
		}

		place = slices.Grow(place[:0], int(longest)+1)[:longest+1]
		clear(place)
		for i := lo; i < hi; i++ {
			place[rowPtr[i+1]-rowPtr[i]]++
		}

		next := int32(lo)
		for n := len(place) - 1; n >= 0; n-- {
			next, place[n] = next+place[n], next
		}
		for i := lo; i < hi; i++ {
			n := rowPtr[i+1] - rowPtr[i]
			perm[place[n]] = int32(i)
			place[n]++
		}
	}

	return perm
}

// Chunks returns the number of chunks.
func (s *SELL[V]) Chunks() int { return len(s.ChunkPtr) - 1 }

// Width returns the length of the longest row of chunk h.
func (s *SELL[V]) Width(h int) int { return (s.ChunkPtr[h+1] - s.ChunkPtr[h]) / s.C }

// NNZ returns the number of entries that are not padding.
func (s *SELL[V]) NNZ() int { return s.nnz }

// Padding returns the stored entries, padding included, per nonzero: 1 is the
// best there is. It is 1 for a matrix without nonzeros.
func (s *SELL[V]) Padding() float64 {
	if s.nnz == 0 {
		return 1
	}
	return float64(len(s.Val)) / float64(s.nnz)
}
