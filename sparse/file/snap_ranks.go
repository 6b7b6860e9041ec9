package file

import (
	"math/bits"
	"slices"
	"sync/atomic"
)

// Ranks give each vertex that occurs its place in the order of all, from 0.
type ranks interface {
	count() int
	// put puts the ranks of the vertices of a piece from the first on into ranks.
	put(p *piece, first int, ranks []int32)
}

const (
	// edgesPerWord bounds the bitmap, 16 bytes to a word, by the edges there are.
	edgesPerWord = 4
	// alwaysWords is the size of a bitmap that is always acceptable: 16 MB.
	alwaysWords = 1 << 20
)

// ranksOf finds the ranks of all vertices in the pieces.
func ranksOf(pieces []*piece) ranks {
	least, most, edges := uint64(largestID), uint64(0), 0
	for _, p := range pieces {
		edges += p.edges
		least, most = min(least, p.least), max(most, p.most)
	}

	if edges == 0 {
		return &bitmap{}
	}
	if words := (most-least)/64 + 1; words <= uint64(max(edges/edgesPerWord, alwaysWords)) {
		return newBitmap(pieces, least, int(words))
	}
	return newSorted(pieces)
}

// A bitmap has a bit for every number from the least on, and for every 64 of them the number of
// vertices before.
type bitmap struct {
	least uint64
	words []word
	n     int
}

type word struct {
	bits   uint64
	before int32
}

func newBitmap(pieces []*piece, least uint64, words int) *bitmap {
	m := &bitmap{least: least, words: make([]word, words)}
	eachOf(len(pieces), func() func(k int) {
		return func(k int) {
			for i := range 2 * pieces[k].edges {
				v := pieces[k].vertex(i) - least
				w, bit := &m.words[v/64].bits, uint64(1)<<(v%64)
				if atomic.LoadUint64(w)&bit == 0 {
					atomic.OrUint64(w, bit)
				}
			}
		}
	})

	for k := range m.words {
		m.words[k].before = int32(m.n)
		m.n += bits.OnesCount64(m.words[k].bits)
	}
	return m
}

func (m *bitmap) count() int { return m.n }

func (m *bitmap) rank(v uint64) int32 {
	w := &m.words[(v-m.least)/64]
	return w.before + int32(bits.OnesCount64(w.bits&(1<<((v-m.least)%64)-1)))
}

func (m *bitmap) put(p *piece, first int, ranks []int32) {
	for k := range ranks {
		ranks[k] = m.rank(p.vertex(first + k))
	}
}

// A sorted has the numbers of vertices in order, and where those with the same highest bits start.
type sorted struct {
	ids   []uint64
	least uint64
	shift int
	start []int32 // of those with id−least >> shift; and the end
}

func newSorted(pieces []*piece) *sorted {
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
	all = slices.Compact(all)

	s := &sorted{ids: all, least: all[0]}
	s.shift = max(0, bits.Len64(all[len(all)-1]-s.least)-bits.Len(uint(len(all))))
	for k, v := range all {
		for len(s.start) <= int((v-s.least)>>s.shift) {
			s.start = append(s.start, int32(k))
		}
	}
	s.start = append(s.start, int32(len(all)))
	return s
}

func (s *sorted) count() int { return len(s.ids) }

func (s *sorted) rank(v uint64) int32 {
	part := (v - s.least) >> s.shift
	from := s.start[part]
	k, _ := slices.BinarySearch(s.ids[from:s.start[part+1]], v)
	return from + int32(k)
}

func (s *sorted) put(p *piece, first int, ranks []int32) {
	for k := range ranks {
		ranks[k] = s.rank(p.vertex(first + k))
	}
}
