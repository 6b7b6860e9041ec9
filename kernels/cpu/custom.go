// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/kernels/custom"
	"example.org/spmvtune/kernels/internal/native"
	"example.org/spmvtune/sparse"
)

var _ kernels.Host = (*Backend)(nil)

// customCompiler is the compiler of a kernel of the sweep.
func (b *Backend) customCompiler(o kernels.Custom) (*custom.Compiler, error) {
	by, err := custom.ForCPU(o.File, b.device.Name)
	if err == nil && request(&[6]uint64{runningOnValgrind}) != 0 {
		by.Flags = append(by.Flags, "-mno-avx512f") // which valgrind does not know
	}
	return by, err
}

// prepareCustom prepares a kernel of the sweep. Its arrays are copies between fences, which are new ones if fresh.
func prepareCustom[V sparse.Float](b *Backend, o *operand[V], k kernels.Custom, c kernels.Config, fresh bool) (
	kernels.Product, error,
) {
	b.formats.fresh = nil
	fenced := b.formats
	if fresh {
		fenced = &formats{}
	}
	file, err := b.Compile(k, c)
	if err != nil {
		return nil, err
	}
	f, err := openLibrary(b, file, k.Entry)
	if err != nil {
		return nil, &kernels.InvalidError{Reason: k.File + ": " + err.Error()}
	}
	inner, v, err := fencedOperand(fenced, o, c.Precision)
	if err != nil {
		return nil, err
	}
	m, cost, err := customForm(b, fenced, o, k, c)
	if err != nil {
		return nil, err
	}

	arrays := &native.Arrays{
		Rows: o.a.Rows, Cols: o.a.Cols, Nonzeros: o.a.NNZ(), Block: c.Block, Grid: max(1, c.Grid),
		First: m.ints[0].at(), Second: m.ints[1].at(), Val: m.val.at(), X: v.x.at(),
		Y: unsafe.Pointer(unsafe.SliceData(inner.y)),
	}
	if len(m.ints) > 2 {
		arrays.Third = m.ints[2].at()
	}
	p := plan{cost: cost, format: m.bytes(), run: func() { f.Call(arrays) }}
	if k.Zero {
		p.run = func() { clear(inner.y); f.Call(arrays) }
	}
	p.check = func() error {
		defer func() { _, _ = m, v }() // whose memory the kernel knows by address only
		if !slices.Equal(inner.x, o.x) {
			return &kernels.OverrunError{Array: "y: x has changed"}
		}
		return nil
	}
	return &product[V]{b: b, o: inner, plan: p}, nil
}

// fencedOperand is o with an x and a y between fences.
func fencedOperand[V sparse.Float](kept *formats, o *operand[V], p kernels.Precision) (
	*operand[V], *fencedVectors[V], error,
) {
	v, _, err := build(kept, formatKey{format: "vectors", precision: p}, func() (*fencedVectors[V], int64, error) {
		x, err := fence[V](o.a.Cols)
		if err != nil {
			return nil, 0, err
		}
		room, err := fence[V](o.a.Rows + 2*guard)
		return &fencedVectors[V]{x, room}, int64(o.a.Rows+o.a.Cols) * sizeOf[V](), err
	})
	if err != nil {
		return nil, nil, err
	}
	copy(v.x.s, o.x)
	inner := &operand[V]{a: o.a, x: v.x.s, room: v.room.s}
	inner.placeY()
	return inner, v, nil
}

// An customMatrix is a matrix as a kernel of a sweep gets it.
type customMatrix[V sparse.Float] struct {
	ints []*fenced[int32]
	val  *fenced[V]
}

func (m *customMatrix[V]) bytes() int64 {
	return int64(len(m.val.s))*sizeOf[V]() + lists.Sum(m.ints, func(s *fenced[int32]) int64 { return 4 * int64(len(s.s)) })
}

// customForm returns the matrix in the format of a kernel, and what making it cost: copying it
// between fences does not count.
func customForm[V sparse.Float](b *Backend, kept *formats, o *operand[V], k kernels.Custom, c kernels.Config) (
	*customMatrix[V], time.Duration, error,
) {
	var cost time.Duration
	val := o.a.Val
	ints := [][]int32{o.a.RowPtr, o.a.ColIdx}
	key := formatKey{format: "own " + k.Format, precision: c.Precision}
	switch k.Format {
	case kernels.COO:
		ints[0], cost = rowIndices(b, o)
	case kernels.SELL:
		c.Block, _ = strconv.Atoi(k.Setting(c.Params, "chunk"))
		s, spent, err := sellFormat(b, o, k.Kernel, c)
		if err != nil {
			return nil, 0, err
		}
		if len(s.Val) > sparse.MaxIndex {
			return nil, 0, &kernels.InvalidError{
				Reason: "with its padding, the matrix has more entries than an int counts"}
		}
		ints, val, cost = [][]int32{nil, s.Perm, s.ColIdx}, s.Val, spent
		ints[0] = lists.Of(s.ChunkPtr, func(n int) int32 { return int32(n) }) // as a custom kernel has offsets
		key.c, key.sigma = s.C, s.Sigma
	}

	m, _, err := build(kept, key, func() (*customMatrix[V], int64, error) {
		copied, err := fenceCopy(val)
		m := &customMatrix[V]{val: copied}
		for _, s := range ints {
			f, failure := fenceCopy(s)
			m.ints, err = append(m.ints, f), cmp.Or(err, failure)
		}
		if err != nil {
			return nil, 0, err
		}
		return m, m.bytes(), nil
	})
	return m, cost, err
}

var bindThreads sync.Once

// openLibrary finds a function in a library. OpenMP, which comes with the first that uses it, then
// pins its threads as the pool does: it takes the cores that this thread has while it is loaded.
func openLibrary(b *Backend, file, name string) (native.Function, error) {
	if len(b.cores) == 0 || b.pool.free {
		return native.Open(file, name)
	}
	bindThreads.Do(func() {
		places := lists.Of(b.cores, func(core int) string { return fmt.Sprintf("{%d}", core) })
		os.Setenv("OMP_PROC_BIND", "close")
		os.Setenv("OMP_PLACES", strings.Join(places, ","))
	})
	pin(b.cores)
	defer pin(b.cores[:1])
	return native.Open(file, name)
}

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
