// SPDX-License-Identifier: Apache-2.0

package file

import (
	"math/bits"
	"slices"
	"sync/atomic"
)

// Ranks give each vertex that occurs its place in the order of all, from 0: by a bit for every number from the least
// on or, where the numbers lie far apart, by a list of them.
type ranks struct {
	count int
	least uint64

	words []word

	ids   []uint64 // in order
	shift int
	start []int32 // of those with id−least >> shift; and the end
}

// A word has the bits of 64 numbers, and how many vertices come before them.
type word struct {
	bits   uint64
	before int32
}

const (
	// edgesPerWord bounds the bitmap, 16 bytes to a word, by the edges there are.
	edgesPerWord = 4
	// alwaysWords is the size of a bitmap that is always acceptable: 16 MB.
	alwaysWords = 1 << 20
)

// ranksOf finds the ranks of all vertices in the pieces.
func ranksOf(pieces []*piece) *ranks {
	r := &ranks{least: largestID}
	most, edges := uint64(0), 0
	for _, p := range pieces {
		edges += p.edges
		r.least, most = min(r.least, p.least), max(most, p.most)
	}

	if edges == 0 {
		return r
	}
	if words := (most-r.least)/64 + 1; words <= uint64(max(edges/edgesPerWord, alwaysWords)) {
		r.mark(pieces, int(words))
	} else {
		r.sort(pieces)
	}
	return r
}

// mark makes the bitmap.
func (r *ranks) mark(pieces []*piece, words int) {
	r.words = make([]word, words)
	eachOf(len(pieces), func() func(k int) {
		return func(k int) {
			for i := range 2 * pieces[k].edges {
				v := pieces[k].vertex(i) - r.least
				w, bit := &r.words[v/64].bits, uint64(1)<<(v%64)
				if atomic.LoadUint64(w)&bit == 0 {
					atomic.OrUint64(w, bit)
				}
			}
		}
	})

	for k := range r.words {
		r.words[k].before = int32(r.count)
		r.count += bits.OnesCount64(r.words[k].bits)
	}
}

// sort makes the list, and says where the numbers with the same highest bits start.
func (r *ranks) sort(pieces []*piece) {
	ids := make([][]uint64, len(pieces))
	eachOf(len(pieces), func() func(k int) {
		return func(k int) {
			for i := range 2 * pieces[k].edges {
				ids[k] = append(ids[k], pieces[k].vertex(i))
			}
			slices.Sort(ids[k])
			ids[k] = slices.Clone(slices.Compact(ids[k]))
		}
	})
	all := slices.Concat(ids...)
	slices.Sort(all)
	r.ids = slices.Compact(all)
	r.count = len(r.ids)

	r.shift = max(0, bits.Len64(r.ids[r.count-1]-r.least)-bits.Len(uint(r.count)))
	for k, v := range r.ids {
		for len(r.start) <= int((v-r.least)>>r.shift) {
			r.start = append(r.start, int32(k))
		}
	}
	r.start = append(r.start, int32(r.count))
}

func (r *ranks) rank(v uint64) int32 {
	if v -= r.least; r.words != nil {
		w := &r.words[v/64]
		return w.before + int32(bits.OnesCount64(w.bits&(1<<(v%64)-1)))
	}
	from := r.start[v>>r.shift]
	k, _ := slices.BinarySearch(r.ids[from:r.start[v>>r.shift+1]], v+r.least)
	return from + int32(k)
}
