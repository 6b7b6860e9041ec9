package cuda

import (
	"slices"
	"sync"
	"time"

	"spmvtune/sparse"
)

// packingLimit is how many bytes of packings are kept in the host's memory.
const packingLimit = 4 << 30

// packings remembers what recipes have packed on the host (row blocks, bins, sorted rows) from
// the current matrix, so that configurations that differ in block and grid only share it. The
// least recently used one is dropped when they outgrow the limit.
var packings struct {
	sync.Mutex
	m      *structure
	orders []*structure // m in other orders
	kept   []packing    // least recently used first
	bytes  int64
	reused time.Duration // what all reuse would have cost
}

type packing struct {
	of    *structure
	key   any
	value any
	bytes int64
	cost  time.Duration
}

// pack returns what build makes from m, under key, which names the kind of packing and
// everything but m that it depends on. build also returns its size in bytes. Nobody may change
// the result.
func pack[T any](m *structure, key any, build func() (T, int64)) T {
	p := &packings
	p.Lock()
	defer p.Unlock()
	if p.m != m && !slices.Contains(p.orders, m) {
		p.m, p.orders, p.kept, p.bytes = m, nil, nil, 0
	}

	if i := slices.IndexFunc(p.kept, func(e packing) bool { return e.of == m && e.key == key }); i >= 0 {
		e := p.kept[i]
		p.kept = append(slices.Delete(p.kept, i, i+1), e)
		p.reused += e.cost
		return e.value.(T)
	}

	start := time.Now()
	value, bytes := build()
	p.kept = append(p.kept, packing{m, key, value, bytes, time.Since(start)})
	for p.bytes += bytes; p.bytes > packingLimit && len(p.kept) > 1; {
		p.bytes -= p.kept[0].bytes
		p.kept = slices.Delete(p.kept, 0, 1)
	}

	return value
}

// alsoOf says that what is packed from ordered, which is m in another order, is kept beside
// what is packed from m.
func alsoOf(m, ordered *structure) {
	p := &packings
	p.Lock()
	defer p.Unlock()
	if p.m == m && !slices.Contains(p.orders, ordered) {
		p.orders = append(p.orders, ordered)
	}
}

// reusedCost is the original cost of all packings that were reused so far.
func reusedCost() time.Duration {
	packings.Lock()
	defer packings.Unlock()
	return packings.reused
}

// forget drops all packings.
func forget() {
	packings.Lock()
	defer packings.Unlock()
	packings.m, packings.orders, packings.kept, packings.bytes = nil, nil, nil, 0
}

// collect returns values in some order as V, on all cores: element k is from[order[k]], or 0 where
// that is −1.
func collect[V sparse.Float](order []int32, from []float64) []V {
	s := make([]V, len(order))
	eachShare(len(s), shares(len(s)), func(_, lo, hi int) {
		part := s[lo:hi]
		for k, i := range order[lo:hi] {
			if i := int(i); uint(i) < uint(len(from)) {
				part[k] = V(from[i])
			}
		}
	})
	return s
}
