package cpu

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"

	"spmvtune/sparse"
)

// A fenced array lies between pages that nobody may touch, so that a kernel of a user's own that
// leaves it ends its process, and not in Go's memory.
type fenced[T int32 | float32 | float64] struct {
	s []T
	m []byte // with the fences
}

// line is where arrays begin: at its multiples, in bytes.
const line = 64

// fence allocates n elements.
func fence[T int32 | float32 | float64](n int) (*fenced[T], error) {
	page := unix.Getpagesize()
	bytes := n * int(unsafe.Sizeof(*new(T)))
	room := (bytes + line + page - 1) / page * page
	m, err := unix.Mmap(-1, 0, room+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("allocating %d bytes: %w", bytes, err)
	}
	for _, fence := range [][]byte{m[:page], m[page+room:]} {
		if err := unix.Mprotect(fence, unix.PROT_NONE); err != nil {
			return nil, fmt.Errorf("protecting memory: %w", err)
		}
	}

	start := page + (room-bytes)/line*line // the end is near the fence behind it
	f := &fenced[T]{m: m, s: unsafe.Slice((*T)(unsafe.Pointer(&m[start])), n)}
	runtime.AddCleanup(f, func(m []byte) { unix.Munmap(m) }, m)
	return f, nil
}

// fenceCopy makes a copy that can only be read.
func fenceCopy[T int32 | float32 | float64](s []T) (*fenced[T], error) {
	f, err := fence[T](len(s))
	if err != nil {
		return nil, err
	}
	copy(f.s, s)
	page := unix.Getpagesize()
	if err := unix.Mprotect(f.m[page:len(f.m)-page], unix.PROT_READ); err != nil {
		return nil, fmt.Errorf("protecting memory: %w", err)
	}
	return f, nil
}

func (f *fenced[T]) at() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(f.s)) }

// fencedVectors are x and y of an operand, between fences.
type fencedVectors[V sparse.Float] struct {
	x, room *fenced[V]
}
