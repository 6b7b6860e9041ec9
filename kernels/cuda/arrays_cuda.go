// SPDX-License-Identifier: Apache-2.0

//go:build cuda

package cuda

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
	"unsafe"

	"gorgonia.org/cu"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/sparse"
)

// arrays are the arrays of the current problem on the device. Each is made when a product first
// needs it and kept; when the device is full, the least recently used arrays make room.
type arrays struct {
	stream    cu.Stream
	originals *originals
	kept      []*array // least recently used first
	turn      int      // of Prepare; arrays of the current turn are in use
	// pads hold memory while the arrays of a fresh turn are made, and before tells where
	// they were: none of them gets what it had.
	pads   []cu.DevicePtr
	before map[any]cu.DevicePtr
}

type array struct {
	key     any
	ptr     cu.DevicePtr // of its first element
	base    cu.DevicePtr // of the memory that was allocated for it
	bytes   int64
	guarded bool          // there are guards before and behind it
	cost    time.Duration // of making it: on the host, and copying it
	turn    int
}

// name is what a recipe calls the array.
func (e *array) name() string {
	switch key := e.key.(type) {
	case commonKey:
		return key.name
	case scratchKey:
		return string(key)
	}
	return fmt.Sprint(e.key)
}

// An access says what a product does with an array.
type access int

const (
	reads  access = iota
	writes        // guards show whether it writes outside, too
)

// next begins a turn: whatever was in use until now may be dropped.
func (a *arrays) next() { a.turn++ }

// scatter drops all arrays, and makes those of this turn lie elsewhere.
//
// Note: they lie side by side, as in a program that has just begun. Arrays at random
// offsets in memory that is left between others were slower by 4% in the median, where
// a product about fills the cache (H200), and no other run would find that.
func (a *arrays) scatter() error {
	a.before = map[any]cu.DevicePtr{}
	for _, e := range a.kept {
		a.before[e.key] = e.base
	}
	if err := a.clear(); err != nil {
		return err
	}
	for range 1 + rand.IntN(mostPads) {
		pad, err := cu.MemAlloc(smallPad)
		if err != nil {
			return nil // there is no room to choose places in
		}
		a.pads = append(a.pads, pad)
	}
	if pad, err := cu.MemAlloc((1 + rand.Int64N(mostPads)) * largePad); err == nil {
		a.pads = append(a.pads, pad)
	}
	return nil
}

// Small arrays share pages of 2 MiB, and larger ones have pages of their own, in bytes.
const (
	smallPad = 64 << 10
	largePad = 2 << 20
	mostPads = 31
)

// made ends the making of the arrays of a turn.
func (a *arrays) made() error {
	failure := free(a.pads...)
	a.pads, a.before = nil, nil
	return failure
}

// free frees memory, and returns the first error.
func free(places ...cu.DevicePtr) (failure error) {
	for _, p := range places {
		failure = cmp.Or(failure, failed(cu.MemFree(p), "freeing memory"))
	}
	return failure
}

// get returns the array named key, of this many bytes. fill makes it unless it is kept. A kept
// one of that name that is too small is made anew.
func (a *arrays) get(key any, bytes int64, access access, fill func(cu.DevicePtr) error) (*array, error) {
	if i := slices.IndexFunc(a.kept, func(e *array) bool { return e.key == key }); i >= 0 {
		e := a.kept[i]
		a.kept = slices.Delete(a.kept, i, i+1)
		if e.bytes == bytes || e.bytes > bytes && !e.guarded {
			e.turn = a.turn
			a.kept = append(a.kept, e)
			return e, nil
		}
		if err := free(e.base); err != nil {
			return nil, err
		}
	}

	e := &array{key: key, bytes: bytes, turn: a.turn, guarded: access == writes}
	if err := a.place(e); err != nil {
		return nil, err
	}
	if err := a.make(e, fill); err != nil {
		cu.MemFree(e.base)
		return nil, err
	}
	a.kept = append(a.kept, e)
	return e, nil
}

// make makes what is in e. In a fresh turn, what products only read is a copy of what an earlier one had.
func (a *arrays) make(e *array, fill func(cu.DevicePtr) error) (err error) {
	_, scratch := e.key.(scratchKey)
	if a.before != nil && !e.guarded && !scratch {
		e.cost, err = a.originals.provide(e.key, e.ptr, e.bytes, fill)
		return err
	}
	start := time.Now()
	err = fill(e.ptr)
	e.cost = time.Since(start)
	return err
}

// place allocates memory for e, with its guards.
func (a *arrays) place(e *array) (err error) {
	guard := int64(0)
	if e.guarded {
		guard = guardBytes
	}
	if e.base, err = a.alloc(guard + e.bytes + guard); err != nil {
		return err
	}
	if e.base == a.before[e.key] {
		a.pads = append(a.pads, e.base)
		if e.base, err = a.alloc(guard + e.bytes + guard); err != nil {
			return err
		}
	}
	e.ptr = e.base + cu.DevicePtr(guard)
	if !e.guarded {
		return nil
	}
	for _, at := range e.guards() {
		if err := failed(cu.MemsetD8Async(at, guardByte, guardBytes, a.stream), "setting guards"); err != nil {
			cu.MemFree(e.base)
			return err
		}
	}
	return nil
}

// guards are where those of a guarded array lie.
func (e *array) guards() []cu.DevicePtr {
	return []cu.DevicePtr{e.ptr - guardBytes, e.ptr + cu.DevicePtr(e.bytes)}
}

// alloc allocates, dropping arrays that are not in use, and then the originals, until there is room.
func (a *arrays) alloc(bytes int64) (cu.DevicePtr, error) {
	for {
		// An empty array also has an address, because libraries refuse null.
		ptr, err := cu.MemAlloc(max(bytes, 16))
		if err == nil {
			return ptr, nil
		}
		if outOfMemory(err) && len(a.pads) > 0 {
			if err := a.made(); err != nil {
				return 0, err
			}
			continue
		}
		i := slices.IndexFunc(a.kept, func(e *array) bool { return e.turn != a.turn })
		if outOfMemory(err) && i < 0 {
			if had, failure := a.originals.close(); had && failure == nil {
				continue
			}
		}
		if !outOfMemory(err) || i < 0 {
			return 0, failed(err, "allocating %d bytes", bytes)
		}
		if err := free(a.kept[i].base); err != nil {
			return 0, err
		}
		a.kept = slices.Delete(a.kept, i, i+1)
	}
}

// clear frees all arrays.
func (a *arrays) clear() error {
	failure := free(lists.Of(a.kept, func(e *array) cu.DevicePtr { return e.base })...)
	a.kept = nil
	return failure
}

// upload copies s to the device, as numbers of another kind where V is not W, and waits for that.
func upload[V, W number](b *Backend, to cu.DevicePtr, s []W) error {
	return stage(b, to, len(s), func(part []V, from int) { convert(part, s[from:]) })
}

// stage copies n numbers to the device, which fill puts into a part of them, from one on, and waits for that. All cores
// fill one half of the staging memory while the device takes the other.
func stage[V number](b *Backend, to cu.DevicePtr, n int, fill func(part []V, from int)) error {
	for from, half := 0, 0; from < n; from, half = from+stagedValues, half+1 {
		staged := unsafe.Slice((*V)(b.staged(half)), min(stagedValues, n-from))
		fill(staged, from)
		bytes := int64(len(staged)) * int64(unsafe.Sizeof(staged[0]))
		// On the stream of the products: the other copies return before the device
		// has the data, and order nothing against this stream.
		err := b.stream.Synchronize()
		if err == nil {
			err = cu.MemcpyHtoDAsync(to, b.staged(half), bytes, b.stream)
		}
		if err != nil {
			return failed(err, "copying %d bytes to the device", bytes)
		}
		to += cu.DevicePtr(bytes)
	}
	return failed(b.stream.Synchronize(), "copying to the device")
}

// staged is where a half of the staging memory begins, in turn.
func (b *Backend) staged(half int) unsafe.Pointer {
	return unsafe.Add(b.staging, half%2*8*stagedValues)
}

// poison fills bytes at p with 0xff: NaN as a value of either precision, −1 as
// an index.
func poison(stream cu.Stream, p cu.DevicePtr, bytes int64) error {
	if bytes == 0 {
		return nil
	}
	return failed(cu.MemsetD8Async(p, 0xff, bytes, stream), "poisoning %d bytes", bytes)
}

// The name of a common array says which array it is and, if it holds values, their size.
type commonKey struct {
	name string
	v    int
}

// common returns one of the arrays that every problem has, on the device. v is
// the size of a value in bytes.
func (b *Backend) common(name string, v int) (*array, error) {
	a := b.problem.A
	switch name {
	case rowPtr:
		return b.ints(commonKey{name, 4}, a.RowPtr)
	case colIdx:
		return b.ints(commonKey{name, 4}, a.ColIdx)
	case rowIdx:
		return b.arrays.get(commonKey{name, 4}, 4*int64(a.NNZ()), reads, func(p cu.DevicePtr) error {
			return stage(b, p, a.NNZ(), func(part []int32, from int) { putRows(a, part, from) })
		})
	case val:
		return b.values(commonKey{name, v}, v, a.Val)
	case vecX:
		return b.values(commonKey{name, v}, v, b.problem.X)
	case vecY:
		return b.arrays.get(commonKey{name, v}, int64(v)*int64(a.Rows), writes, func(cu.DevicePtr) error { return nil })
	}

	return nil, fmt.Errorf("no problem has an array %q", name)
}

func (b *Backend) ints(key any, s []int32) (*array, error) {
	return b.arrays.get(key, 4*int64(len(s)), reads, func(p cu.DevicePtr) error { return upload[int32](b, p, s) })
}

// values returns the array of values of v bytes.
func (b *Backend) values(key any, v int, s []float64) (*array, error) {
	return b.arrays.get(key, int64(v)*int64(len(s)), reads, func(p cu.DevicePtr) error { return b.put(p, v, s) })
}

// putValues copies the matrix's values to the device, in the order of x, or in their own where that is nil.
func (b *Backend) putValues(p cu.DevicePtr, v int, x *aux) error {
	switch {
	case x == nil:
		return b.put(p, v, b.problem.A.Val)
	case v == 4:
		return putPermuted[float32](b, p, x.Vals)
	}
	return putPermuted[float64](b, p, x.Vals)
}

// putPermuted copies the matrix's values to the device in some order.
func putPermuted[V sparse.Float](b *Backend, p cu.DevicePtr, order []int32) error {
	return stage(b, p, len(order), func(part []V, from int) { collect(part, order[from:], b.problem.A.Val) })
}

// put copies values to the device, v bytes for each.
func (b *Backend) put(p cu.DevicePtr, v int, s []float64) error {
	if v == 4 {
		return upload[float32](b, p, s)
	}
	return upload[float64](b, p, s)
}

type number interface{ int32 | sparse.Float }

// convert copies, rounds or widens numbers, on all cores.
func convert[V, W number](to []V, from []W) {
	eachShare(len(to), fewSteps, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			to[k] = V(from[k])
		}
	})
}

// packed says that g is an array with content.
func (g arg) packed() bool { return g.own != nil && len(g.own.Ints)+len(g.own.Vals) > 0 }
