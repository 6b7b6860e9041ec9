package snap

import (
	"math/bits"
	"runtime"
	"slices"
	"sync/atomic"

	"spmvtune/sparse/internal/text"
)

// Ranks give each vertex that occurs its place in the order of all, from 0.
type ranks interface {
	count() int
	// put puts the ranks of pairs of vertices into row and col.
	put(p *piece, row, col []int32)
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
		edges += p.edges()
		least, most = min(least, p.least), max(most, p.most)
	}

	if edges == 0 {
		return &bitmap{}
	}
	if words := (most-least)/64 + 1; words <= uint64(max(edges/edgesPerWord, alwaysWords)) {
		return newBitmap(pieces, least, int(words))
	}
	return newRanges(pieces)
}

// each calls f for every vertex of the piece, in the order of the file.
func (p *piece) each(f func(v uint64)) {
	for _, v := range p.small {
		f(uint64(v))
	}
	for _, v := range p.large {
		f(v)
	}
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
	text.EachOf(len(pieces), func() func(k int) {
		return func(k int) {
			pieces[k].each(func(v uint64) {
				w, bit := &m.words[(v-least)/64].bits, uint64(1)<<((v-least)%64)
				if atomic.LoadUint64(w)&bit == 0 {
					atomic.OrUint64(w, bit)
				}
			})
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

func (m *bitmap) put(p *piece, row, col []int32) {
	for k := range len(p.small) / 2 {
		row[k], col[k] = m.rank(uint64(p.small[2*k])), m.rank(uint64(p.small[2*k+1]))
	}
	for k := range len(p.large) / 2 {
		row[k], col[k] = m.rank(p.large[2*k]), m.rank(p.large[2*k+1])
	}
}

// A ranges is the vertices cut into one range of numbers for each core.
type ranges struct {
	ends   []uint64 // of each range but the last: the first number behind it
	ranks  []map[uint64]int32
	before []int // vertices before each range; and all
}

// samples is from how many vertices, for each core, the ends of ranges are taken.
const samples = 64

func newRanges(pieces []*piece) *ranges {
	cores := runtime.GOMAXPROCS(0)
	r := &ranges{ranks: make([]map[uint64]int32, cores), before: make([]int, cores+1)}
	var some []uint64
	most := cores*samples/len(pieces) + 1

	for _, p := range pieces {
		n, step := 0, max(2*p.edges()/most, 1)
		p.each(func(v uint64) {
			if n%step == 0 {
				some = append(some, v)
			}
			n++
		})
	}
	slices.Sort(some)
	for k := 1; k < cores; k++ {
		r.ends = append(r.ends, some[k*len(some)/cores])
	}
	keys := make([][]uint64, cores)
	text.EachOf(cores, func() func(k int) {
		return func(k int) {
			seen := map[uint64]int32{}
			from, to := uint64(0), uint64(largestID)
			if k > 0 {
				from = r.ends[k-1]
			}

			if k < cores-1 {
				to = r.ends[k] - 1
			}
			if k < cores-1 && r.ends[k] == from {
				r.ranks[k] = seen
				return // an empty range: to is below from, or wrapped around
			}

			for _, p := range pieces {
				p.each(func(v uint64) {
					if v < from || v > to {
						return
					}
					if _, there := seen[v]; !there {
						seen[v] = 0
						keys[k] = append(keys[k], v)
					}
				})
			}
			slices.Sort(keys[k])
			for rank, v := range keys[k] {
				seen[v] = int32(rank)
			}
			r.ranks[k] = seen
		}
	})

	for k, list := range keys {
		r.before[k+1] = r.before[k] + len(list)
	}
	return r
}

func (r *ranges) count() int { return r.before[len(r.ranks)] }

func (r *ranges) rank(v uint64) int32 {
	k, _ := slices.BinarySearch(r.ends, v)
	for k < len(r.ends) && r.ends[k] == v { // empty ranges end where they begin
		k++
	}
	return int32(r.before[k]) + r.ranks[k][v]
}

func (r *ranges) put(p *piece, row, col []int32) {
	n := 0
	p.each(func(v uint64) {
		if n%2 == 0 {
			row[n/2] = r.rank(v)
		} else {
			col[n/2] = r.rank(v)
		}
		n++
	})
}
