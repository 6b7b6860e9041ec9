//go:build cuda

package cuda

import (
	"slices"
	"time"
	"unsafe"

	"gorgonia.org/cu"

	"spmvtune/sparse"
)

// arrays are the arrays of the current problem on the device. Each is made when
// a product first needs it and kept; when the device is full, those that were
// used longest ago make room.
type arrays struct {
	stream cu.Stream
	kept   []*array // least recently used first
	turn   int      // of Prepare; arrays of the current turn are in use
}

type array struct {
	key   any
	ptr   cu.DevicePtr
	bytes int64
	cost  time.Duration // of making it: on the host, and copying it
	turn  int
}

// next begins a turn: whatever was in use until now may be dropped.
func (a *arrays) next() { a.turn++ }

// get returns the array named key, of so many bytes, made by fill unless it is
// kept. A kept one of that name that is too small is made anew.
func (a *arrays) get(key any, bytes int64, fill func(cu.DevicePtr) error) (*array, error) {
	if i := slices.IndexFunc(a.kept, func(e *array) bool { return e.key == key }); i >= 0 {
		e := a.kept[i]
		a.kept = slices.Delete(a.kept, i, i+1)
		if e.bytes >= bytes {
			e.turn = a.turn
			a.kept = append(a.kept, e)
			return e, nil
		}
		if err := cu.MemFree(e.ptr); err != nil {
			return nil, failed(err, "freeing memory")
		}
	}

	start := time.Now()
	ptr, err := a.alloc(bytes)
	if err != nil {
		return nil, err
	}
	if err := fill(ptr); err != nil {
		cu.MemFree(ptr)
		return nil, err
	}

	e := &array{key: key, ptr: ptr, bytes: bytes, cost: time.Since(start), turn: a.turn}
	a.kept = append(a.kept, e)
	return e, nil
}

// alloc allocates, dropping arrays that are not in use until there is room.
func (a *arrays) alloc(bytes int64) (cu.DevicePtr, error) {
	for {
		// An empty array has an address, too: libraries refuse null.
		ptr, err := cu.MemAlloc(max(bytes, 16))
		if err == nil {
			return ptr, nil
		}
		i := slices.IndexFunc(a.kept, func(e *array) bool { return e.turn != a.turn })
		if !outOfMemory(err) || i < 0 {
			return 0, failed(err, "allocating %d bytes", bytes)
		}
		if err := cu.MemFree(a.kept[i].ptr); err != nil {
			return 0, failed(err, "freeing memory")
		}
		a.kept = slices.Delete(a.kept, i, i+1)
	}
}

// clear frees all arrays.
func (a *arrays) clear() error {
	var failure error
	for _, e := range a.kept {
		if err := cu.MemFree(e.ptr); err != nil && failure == nil {
			failure = failed(err, "freeing memory")
		}
	}
	a.kept = nil
	return failure
}

// upload copies s to the device and waits for that.
func upload[T int32 | sparse.Float](stream cu.Stream, to cu.DevicePtr, s []T) error {
	if len(s) == 0 {
		return nil
	}
	bytes := int64(len(s)) * int64(unsafe.Sizeof(s[0]))
	// On the stream of the products: the other copies return before the device
	// has the data, and order nothing against this stream.
	if err := cu.MemcpyHtoDAsync(to, unsafe.Pointer(&s[0]), bytes, stream); err != nil {
		return failed(err, "copying %d bytes to the device", bytes)
	}

	return failed(stream.Synchronize(), "copying %d bytes to the device", bytes)
}

// download copies len(s) elements from the device.
func download[T sparse.Float](stream cu.Stream, s []T, from cu.DevicePtr) error {
	if len(s) == 0 {
		return nil
	}
	bytes := int64(len(s)) * int64(unsafe.Sizeof(s[0]))
	if err := cu.MemcpyDtoHAsync(unsafe.Pointer(&s[0]), from, bytes, stream); err != nil {
		return failed(err, "copying %d bytes from the device", bytes)
	}
	return failed(stream.Synchronize(), "copying %d bytes from the device", bytes)
}

// poison fills bytes at p with 0xff: NaN as a value of either precision, −1 as
// an index.
func poison(stream cu.Stream, p cu.DevicePtr, bytes int64) error {
	if bytes == 0 {
		return nil
	}
	return failed(cu.MemsetD8Async(p, 0xff, bytes, stream), "poisoning %d bytes", bytes)
}
