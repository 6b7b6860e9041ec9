package cuda

import (
	"errors"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"time"

	"spmvtune/kernels"
	"spmvtune/sparse"
)

// packingLimit is how many bytes of packings are kept in the host's memory.
var packingLimit int64 = 4 << 30

// packings remembers what recipes have packed on the host (row blocks, bins, sorted rows) from
// the current matrix, in this order of rows or another, so that configurations that differ in block and
// grid only share it. The least recently used one is dropped when they outgrow the limit.
var packings struct {
	sync.Mutex
	m      *structure
	kept   []packing // least recently used first
	bytes  int64
	reused time.Duration // what all reuse would have cost
}

type packing struct {
	of    *structure
	key   any
	value any
	err   error // why there is none
	bytes int64
	cost  time.Duration
}

// pack returns what build makes from m, under key, which names the kind of packing and
// everything but m that it depends on. An error of build is a *kernels.InvalidError from then on. Nobody
// may change the result.
func pack[T any](m *structure, key any, build func() (T, error)) (T, error) {
	p := &packings
	p.Lock()
	defer p.Unlock()
	if p.m != m && !slices.ContainsFunc(p.kept, func(e packing) bool { return e.orders(m) }) {
		p.m, p.kept, p.bytes = m, nil, 0
	}

	if i := slices.IndexFunc(p.kept, func(e packing) bool { return e.of == m && e.key == key }); i >= 0 {
		e := p.kept[i]
		p.kept = append(slices.Delete(p.kept, i, i+1), e)
		p.reused += e.cost
		return e.value.(T), e.err
	}

	start := time.Now()
	value, err := build()
	if err != nil && !errors.As(err, new(*kernels.InvalidError)) {
		err = invalid("%v", err)
	}
	e := packing{m, key, value, err, bytesOf(reflect.ValueOf(value)), time.Since(start)}
	p.kept = append(p.kept, e)
	for p.bytes += e.bytes; p.bytes > packingLimit && len(p.kept) > 1; {
		p.bytes -= p.kept[0].bytes
		p.kept = slices.Delete(p.kept, 0, 1)
	}
	return value, err
}

// orders reports whether e is what gave m its order.
func (e packing) orders(m *structure) bool {
	o, ok := e.value.(*ordering)
	return ok && o != nil && o.m == m
}

// bytesOf is the size of the arrays of a packing, but for values, which are the matrix's.
func bytesOf(v reflect.Value) (bytes int64) {
	switch v.Kind() {
	case reflect.Pointer:
		return bytesOf(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			bytes += bytesOf(v.Field(i))
		}
	case reflect.Slice:
		if of := v.Type().Elem(); of.Kind() != reflect.Float64 {
			bytes = int64(v.Len()) * int64(of.Size())
		}
	}
	return bytes
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
	packings.m, packings.kept, packings.bytes = nil, nil, 0
}

// collect returns values in some order as V, on all cores: element k is from[order[k]], or 0 where
// that is −1.
func collect[V sparse.Float](order []int32, from []float64) []V {
	s := make([]V, len(order))
	eachShare(len(s), fewSteps, func(_, lo, hi int) {
		part := s[lo:hi]
		for k, i := range order[lo:hi] {
			if i := int(i); uint(i) < uint(len(from)) {
				part[k] = V(from[i])
			}
		}
	})
	return s
}

// fewSteps are what a core takes at least of what takes a nanosecond or so each.
const fewSteps = 1 << 14

// shares is how many parts of at least so many steps are shared out to cores.
func shares(steps, least int) int { return max(1, min(runtime.GOMAXPROCS(0), steps/least)) }

// eachShare calls f for nearly equal parts of [0, n), as many as shares says, all at the same time, and waits.
func eachShare(n, least int, f func(part, lo, hi int)) {
	parts := shares(n, least)
	var all sync.WaitGroup
	for part := range parts {
		all.Go(func() { f(part, n*part/parts, n*(part+1)/parts) })
	}
	all.Wait()
}

// bucketed sorts items by their buckets, those of one in their order, and says where each bucket begins and the
// last ends.
func bucketed[T any](items []T, buckets int, of func(T) int) (sorted []T, start []int) {
	start = make([]int, buckets+1)
	for _, e := range items {
		start[of(e)+1]++
	}
	for b := range buckets {
		start[b+1] += start[b]
	}
	sorted, next := make([]T, len(items)), slices.Clone(start)
	for _, e := range items {
		b := of(e)
		sorted[next[b]] = e
		next[b]++
	}
	return sorted, start
}
