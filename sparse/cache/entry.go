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

	"spmvtune/sparse"
)

// An Entry is an open entry of a cache.
type Entry struct {
	Meta
	// A is the matrix in place: its arrays are the mapped file. They can't be
	// written to (that ends the process), are gone after Close, and may be wrong
	// until Verify says otherwise.
	A *sparse.CSR[float64]

	f    *os.File
	data []byte // the whole file, mapped
	layout
}

// ErrDamaged is behind the errors that say that an entry is not what was stored.
var ErrDamaged = errors.New("the entry is damaged")

// Open opens the entry of that name. It takes the same time whatever the size of the
// matrix: only the header is read. An error satisfies errors.Is with fs.ErrNotExist
// where there is no such entry, and with [ErrDamaged] where there is one that can't
// be used; either way the remedy is to make the matrix and to fill the entry.
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
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening a matrix of the cache: %w", err)
	}
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
	if e.Meta, e.layout, err = decodeHeader(e.f, info.Size()); err != nil {
		return err
	}
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

// Verify reads the arrays in place, all of them, and compares them with the hash in
// the header. An error satisfies errors.Is with [ErrDamaged]. What is found holds
// for as long as nobody writes to the file; this package never does. A file that is
// cut off while it is mapped ends the process that reads it, as with any mapping:
// use Copy where that must not be.
func (e *Entry) Verify() error { return e.compare(e.A) }

// compare compares a with the hash, and what lies between the arrays with zero.
func (e *Entry) compare(a *sparse.CSR[float64]) error {
	n := int64(e.Features.Nonzeros)
	for _, gap := range [][2]int64{
		{e.rowPtr + 4*int64(e.Features.Rows+1), e.colIdx}, {e.colIdx + 4*n, e.val}, {e.val + 8*n, e.size},
	} {
		between := make([]byte, gap[1]-gap[0])
		if _, err := e.f.ReadAt(between, gap[0]); err != nil {
			return damaged(e.f.Name(), err)
		}
		if len(bytes.Trim(between, "\x00")) > 0 {
			return damaged(e.f.Name(), errors.New("there is something between the arrays"))
		}
	}
	if a.Hash() != e.Hash {
		return damaged(e.f.Name(), errors.New("the arrays do not give the hash of the matrix"))
	}
	return nil
}

// Copy reads the matrix into memory of its own, verifies that memory, and returns
// it: whatever happens to the file later, the matrix is the one that was stored.
func (e *Entry) Copy(ctx context.Context) (*sparse.CSR[float64], error) {
	a := &sparse.CSR[float64]{
		Rows: e.A.Rows, Cols: e.A.Cols,
		RowPtr: make([]int32, len(e.A.RowPtr)), ColIdx: make([]int32, len(e.A.ColIdx)), Val: make([]float64, len(e.A.Val)),
	}
	for _, part := range []struct {
		memory []byte
		at     int64
	}{{raw(a.RowPtr), e.rowPtr}, {raw(a.ColIdx), e.colIdx}, {raw(a.Val), e.val}} {
		err := eachPiece(ctx, int64(len(part.memory)), func(lo, hi int64) error {
			_, err := e.f.ReadAt(part.memory[lo:hi], part.at+lo)
			return err
		})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, damaged(e.f.Name(), err)
		}
	}
	if err := e.compare(a); err != nil {
		return nil, err
	}
	return a, nil
}

// Close ends the mapping: e.A can't be used any more, and copies can.
func (e *Entry) Close() error {
	e.A = nil
	return errors.Join(unix.Munmap(e.data), e.f.Close())
}
