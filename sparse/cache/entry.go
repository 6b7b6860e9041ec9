package cache

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"spmvtune/internal/base/files"
	"spmvtune/sparse"
)

// An Entry is an open entry of a cache.
type Entry struct {
	Meta
	// A is the matrix in place: its arrays are the mapped file. They can't be
	// written to (that ends the process), are gone after Close, and may be wrong
	// until Verify says otherwise.
	A *sparse.CSR[float64]

	f      *os.File
	data   []byte // the whole file, mapped
	sums   []uint32
	arrays []array // of A: row offsets, columns, values
	layout
}

// ErrDamaged is wrapped by errors about an entry that differs from what was stored.
var ErrDamaged = errors.New("the entry is damaged")

// Open opens the entry of that name. It takes the same time whatever the size of the matrix:
// only the header is read. An error satisfies errors.Is with fs.ErrNotExist if there is no such
// entry, and with [ErrDamaged] if there is one that can't be used; either way the remedy is to
// make the matrix and to fill the entry.
func (d *Dir) Open(key Key) (*Entry, error) {
	if d == nil {
		return nil, errOff
	}
	e, err := open(d.entry(key))
	if err != nil {
		return nil, err
	}

	if e.Key != key {
		e.Close()
		return nil, damaged(d.entry(key), fmt.Errorf("it belongs to the key %s", e.Key))
	}

	// The time of the last change is that of the last use: times of access are not
	// kept by many file systems. In a cache that is read-only it stays.
	now := time.Now()
	os.Chtimes(d.entry(key), now, now)
	return e, nil
}

func damaged(path string, err error) error {
	return fmt.Errorf("opening %s: %w: %w", path, ErrDamaged, err)
}

func open(path string) (*Entry, error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening a matrix of the cache: %w", err)
	}
	unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB) // see removeUnused; without the lock it is read all the same
	e := &Entry{f: f}
	if err := e.attach(); err != nil {
		f.Close()
		return nil, damaged(path, err)
	}

	return e, nil
}

// attach reads the header and maps the arrays.
func (e *Entry) attach() error {
	info, err := e.f.Stat()
	if err != nil {
		return err
	}
	head, l, err := decodeHeader(e.f, info.Size())
	if err != nil {
		return err
	}

	e.Meta, e.sums, e.layout = head.Meta, head.Sums, l
	if int64(int(e.size)) != e.size {
		return fmt.Errorf("%d bytes are more than this machine can map", e.size)
	}
	if e.data, err = unix.Mmap(int(e.f.Fd()), 0, int(e.size), unix.PROT_READ, unix.MAP_SHARED); err != nil {
		return fmt.Errorf("mapping it: %w", err)
	}

	n := e.Features.Nonzeros
	e.A = &sparse.CSR[float64]{
		Rows: e.Features.Rows, Cols: e.Features.Cols,
		RowPtr: view[int32](e.data[e.rowPtr:], e.Features.Rows+1),
		ColIdx: view[int32](e.data[e.colIdx:], n),
		Val:    view[float64](e.data[e.val:], n),
	}
	if e.arrays, err = arraysOf(e.A, e.layout, e.sums); err != nil {
		return errors.Join(err, unix.Munmap(e.data))
	}

	return nil
}

// view returns the first n elements that lie in data, which is aligned for them.
func view[T int32 | float64](data []byte, n int) []T {
	if n == 0 {
		return []T{}
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&data[0])), n)
}

// raw returns the memory of a.
func raw[T int32 | float64](a []T) []byte {
	if len(a) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&a[0])), len(a)*int(unsafe.Sizeof(a[0])))
}

// Verify reads the arrays in place, all of them, and compares them with the checksums in the
// header. An error satisfies errors.Is with [ErrDamaged]. The result holds as long as nobody
// writes to the file; this package never does. Who reads the arrays does so within fault.Caught: the
// file may be cut off while it is mapped.
func (e *Entry) Verify(ctx context.Context) error { return e.verify(ctx, e.arrays) }

// Pattern is Verify of the row offsets and the columns, and returns the matrix in place
// without its values: a quarter to a half of the bytes is not read.
func (e *Entry) Pattern(ctx context.Context) (*sparse.CSR[float64], error) {
	if err := e.verify(ctx, e.arrays[:2]); err != nil {
		return nil, err
	}
	return &sparse.CSR[float64]{Rows: e.A.Rows, Cols: e.A.Cols, RowPtr: e.A.RowPtr, ColIdx: e.A.ColIdx}, nil
}

func (e *Entry) verify(ctx context.Context, arrays []array) error {
	for _, a := range arrays {
		if err := e.fault(ctx, a.check(ctx, nil)); err != nil {
			return err
		}
	}
	return e.fault(ctx, e.checkGaps())
}

// fault makes damage of an error, unless ctx has ended.
func (e *Entry) fault(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	return damaged(e.f.Name(), err)
}

// checkGaps compares what lies between the arrays with zero.
func (e *Entry) checkGaps() error {
	for i, a := range e.arrays {
		start, end := a.at+int64(len(a.memory)), e.size
		if i+1 < len(e.arrays) {
			end = e.arrays[i+1].at
		}
		between := make([]byte, end-start)
		if _, err := e.f.ReadAt(between, start); err != nil {
			return err
		}

		if len(bytes.Trim(between, "\x00")) > 0 {
			return errors.New("there is something between the arrays")
		}
	}

	return nil
}

// Copy reads the matrix into memory, verifies that memory, and returns it. Later changes of the
// file do not affect it.
func (e *Entry) Copy(ctx context.Context) (*sparse.CSR[float64], error) {
	a := &sparse.CSR[float64]{
		Rows: e.A.Rows, Cols: e.A.Cols,
		RowPtr: make([]int32, len(e.A.RowPtr)), ColIdx: make([]int32, len(e.A.ColIdx)), Val: make([]float64,
			len(e.A.Val)),
	}
	arrays, err := arraysOf(a, e.layout, e.sums)
	if err != nil {
		return nil, e.fault(ctx, err)
	}

	for _, part := range arrays {
		err := part.check(ctx, func(piece []byte, at int64) error {
			_, err := e.f.ReadAt(piece, at)
			return err
		})
		if err := e.fault(ctx, err); err != nil {
			return nil, err
		}
	}
	if err := e.fault(ctx, e.checkGaps()); err != nil {
		return nil, err
	}

	return a, nil
}

// Close ends the mapping: e.A can't be used any more, and copies can.
func (e *Entry) Close() error {
	e.A, e.arrays = nil, nil
	return errors.Join(unix.Munmap(e.data), e.f.Close())
}
