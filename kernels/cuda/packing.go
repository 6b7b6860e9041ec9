// SPDX-License-Identifier: Apache-2.0

package cuda

import (
	"cmp"
	"errors"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"example.org/spmvtune/internal/base/panics"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
)

// packingLimit is how many bytes of packings are kept in the host's memory.
var packingLimit int64 = 4 << 30

// KeepPackings says how many bytes of packings this process may keep, in place of 4 GiB, if that is known (not 0).
func KeepPackings(bytes int64) { packingLimit = cmp.Or(bytes, packingLimit) }

// packings remembers what recipes have packed on the host (row blocks, bins, sorted rows) from
// the current matrix, in this order of rows or another, so that configurations that differ in block and
// grid only share it. The least recently used one is dropped when they outgrow the limit.
var packings struct {
	sync.Mutex
	m      *structure
	ahead  *structure // m as packAhead calls it, whose use is nobody's cost
	kept   []*packing // least recently used first
	bytes  int64
	reused time.Duration // what all reuse would have cost
}

type packing struct {
	of     *structure
	key    any
	make   func() (any, error) // once; a panic comes again
	orders *structure          // to which this gave its order of rows
	bytes  int64
	cost   time.Duration
}

// pack returns what build makes from m, under key, which names the kind of packing and
// everything but m that it depends on. An error of build is a *kernels.InvalidError from then on. Nobody
// may change the result. What is being made already is waited for.
func pack[T any](m *structure, key any, build func() (T, error)) (T, error) {
	p := &packings
	p.Lock()
	ahead := m == p.ahead && m != nil
	if ahead {
		m = p.m
	}
	e, found := find(m, key)
	start := time.Now()
	if !found {
		e.make = sync.OnceValues(func() (any, error) {
			value, err := build()
			if err != nil && !errors.As(err, new(*kernels.InvalidError)) {
				err = invalid("%v", err)
			}
			e.made(value, time.Since(start))
			return value, err
		})
	}
	p.Unlock()
	value, err := e.make()
	if found && !ahead { // the caller's clock has the wait
		p.Lock()
		defer p.Unlock()
		p.reused += e.cost - time.Since(start)
	}
	return value.(T), err
}

// find returns the packing that is kept under a key or, if there is none, a new one to be made. The packings of
// another matrix are dropped.
func find(m *structure, key any) (e *packing, found bool) {
	p := &packings
	if p.m != m && !slices.ContainsFunc(p.kept, func(e *packing) bool { return e.orders == m }) {
		start(m)
	}
	i := slices.IndexFunc(p.kept, func(e *packing) bool { return e.of == m && e.key == key })
	if found = i >= 0; found {
		e = p.kept[i]
		p.kept = slices.Delete(p.kept, i, i+1)
	} else {
		e = &packing{of: m, key: key}
	}
	p.kept = append(p.kept, e)
	return e, found
}

// made notes what e is, and keeps to the limit.
func (e *packing) made(value any, cost time.Duration) {
	p := &packings
	p.Lock()
	defer p.Unlock()
	e.bytes, e.cost = bytesOf(reflect.ValueOf(value)), cost
	if o, _ := value.(*ordering); o != nil {
		e.orders = o.m
	}
	if !slices.Contains(p.kept, e) { // the matrix is another one
		return
	}
	for p.bytes += e.bytes; p.bytes > packingLimit; {
		oldest := slices.IndexFunc(p.kept, func(o *packing) bool { return o != e && o.bytes > 0 })
		if oldest < 0 {
			break
		}
		p.bytes -= p.kept[oldest].bytes
		p.kept = slices.Delete(p.kept, oldest, oldest+1)
	}
}

// An ahead packs what the next configurations need while the device measures.
type ahead struct {
	running sync.WaitGroup
	turn    atomic.Int64
	one     sync.Mutex // of what packs: beside others, a packing would seem to cost more
}

// packAhead begins to pack what configurations need that m has not packed yet, and gives up what was begun before it.
// Without any it waits until nothing is being packed. An error is found again when its configuration is prepared.
// Those in another order of rows are left out.
func (a *ahead) packAhead(m *structure, next []kernels.Config) {
	turn := a.turn.Add(1)
	if len(next) == 0 {
		a.running.Wait()
		return
	}
	packings.Lock()
	if packings.m != m {
		start(m)
	}
	if packings.ahead == nil {
		same := *m
		packings.ahead = &same
	}
	as := packings.ahead
	packings.Unlock()
	for _, c := range next {
		if how, set := c.Params.Get(kernels.Reorder); set && how != "none" {
			continue
		}
		a.running.Go(func() {
			a.one.Lock()
			defer a.one.Unlock()
			if a.turn.Load() == turn {
				panics.Caught(func() error { _, err := newRecipe(as, c, c.Precision.Bytes()); return err })()
			}
		})
	}
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
	start(nil)
}

// start makes m the current matrix, without packings.
func start(m *structure) {
	packings.m, packings.ahead, packings.kept, packings.bytes = m, nil, nil, 0
}

// collect puts values in some order, on all cores: to[k] is from[order[k]], or 0 where that is −1.
func collect[V sparse.Float](to []V, order []int32, from []float64) {
	eachShare(len(to), fewSteps, func(lo, hi int) {
		part := to[lo:hi]
		for k, i := range order[lo:hi] {
			if part[k] = 0; uint(i) < uint(len(from)) {
				part[k] = V(from[i])
			}
		}
	})
}

// fewSteps are what a core takes at least of what takes a nanosecond or so each.
const fewSteps = 1 << 14

// shares is how many parts of at least so many steps are shared out to cores.
func shares(steps, least int) int { return max(1, min(runtime.GOMAXPROCS(0), steps/least)) }

// eachShare calls f for nearly equal parts of [0, n), as many as shares says, all at the same time, and waits. Who keeps
// something of each part asks shares once, and panics.Parts: Go's runtime changes GOMAXPROCS where a cgroup's limit
// changes, and then eachShare has other parts than before.
func eachShare(n, least int, f func(lo, hi int)) {
	panics.Parts(n, shares(n, least), func(_, lo, hi int) { f(lo, hi) })
}

// each calls f for every number below n, on all cores that have so many at least.
func each(n, least int, f func(i int)) {
	eachShare(n, least, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			f(i)
		}
	})
}

// counted are n numbers, from one on.
func counted(n, from int) []int32 {
	numbers := make([]int32, n)
	eachShare(n, fewSteps, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			numbers[i] = int32(from + i)
		}
	})
	return numbers
}

// bucketed sorts items by their buckets, those of one in their order, and says where each bucket begins and the
// last ends.
func bucketed[T any](items []T, buckets int, of func(T) int) (sorted []T, start []int) {
	// Of each part: where its next item of each bucket goes.
	next := make([][]int, shares(len(items), max(fewSteps, buckets)))
	panics.Parts(len(items), len(next), func(part, lo, hi int) {
		counts := make([]int, buckets)
		for _, e := range items[lo:hi] {
			counts[of(e)]++
		}
		next[part] = counts
	})
	start = make([]int, buckets+1)
	at := 0
	for b := range buckets {
		start[b] = at
		for _, places := range next {
			places[b], at = at, at+places[b]
		}
	}
	start[buckets] = at
	sorted = make([]T, len(items))
	panics.Parts(len(items), len(next), func(part, lo, hi int) {
		for _, e := range items[lo:hi] {
			place := &next[part][of(e)]
			sorted[*place] = e
			*place++
		}
	})
	return sorted, start
}
