package cpu

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"

	"spmvtune/kernels"
	"spmvtune/sparse"
)

// A fenced array lies between addresses that nobody may touch, so that a kernel of a user's own that
// leaves it ends its process, and does not write into other memory.
type fenced[T int32 | float32 | float64] struct {
	s []T
	m []byte // with the fences
}

const (
	line  = 64       // arrays begin at its multiples, in bytes
	moats = 64 << 20 // bytes of addresses on each side of an array
)

// fence allocates n elements.
func fence[T int32 | float32 | float64](n int) (*fenced[T], error) {
	page := unix.Getpagesize()
	bytes := n * int(unsafe.Sizeof(*new(T)))
	room := (bytes + line + page - 1) / page * page
	m, err := unix.Mmap(-1, 0, room+2*moats, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("allocating %d bytes: %w", bytes, err)
	}
	if err := unix.Mprotect(m[moats:moats+room], unix.PROT_READ|unix.PROT_WRITE); err != nil {
		return nil, fmt.Errorf("allocating %d bytes: %w", bytes, kernels.ErrMemory)
	}

	start := moats + (room-bytes)/line*line // the end is near the fence behind it
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
	if err := unix.Mprotect(f.m[moats:len(f.m)-moats], unix.PROT_READ); err != nil {
		return nil, fmt.Errorf("protecting memory: %w", err)
	}
	return f, nil
}

func (f *fenced[T]) at() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(f.s)) }

// fencedVectors are x and y of an operand, between fences.
type fencedVectors[V sparse.Float] struct {
	x, room *fenced[V]
}
