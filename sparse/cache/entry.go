// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"example.org/spmvtune/internal/base/files"
	"example.org/spmvtune/internal/base/panics"
	"example.org/spmvtune/sparse"
)

// An Entry is an open entry of a cache. It is not evicted before Close.
type Entry struct {
	Meta

	f    *os.File
	sums []uint32
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
	e.hold()

	// The time of the last change is that of the last use: times of access are not
	// kept by many file systems. In a cache that is read-only it stays.
	now := time.Now()
	os.Chtimes(d.entry(key), now, now)
	return e, nil
}

func damaged(path string, err error) error {
	return fmt.Errorf("opening %s: %w: %w", path, ErrDamaged, err)
}

// hold keeps others from evicting an open entry, see removeUnused. Without the lock it is read all the same.
func (e *Entry) hold() { unix.Flock(int(e.f.Fd()), unix.LOCK_SH|unix.LOCK_NB) }

// open opens an entry, which may be evicted.
func open(path string) (*Entry, error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening a matrix of the cache: %w", err)
	}
	info, err := f.Stat()
	var head header
	var l layout
	if err == nil {
		head, l, err = decodeHeader(f, info.Size())
	}
	if err == nil && filepath.Base(path) != string(head.Key)+extension {
		err = fmt.Errorf("it belongs to the key %s", head.Key)
	}
	if err != nil {
		f.Close()
		return nil, damaged(path, err)
	}
	return &Entry{head.Meta, f, head.Sums, l}, nil
}

// raw returns the memory of a.
func raw[T int32 | float64](a []T) []byte {
	if len(a) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&a[0])), len(a)*int(unsafe.Sizeof(a[0])))
}

// Copy reads the matrix into memory and verifies that memory, on all cores: it compares it with the checksums in the
// header. If they differ, the error satisfies errors.Is with [ErrDamaged].
func (e *Entry) Copy(ctx context.Context) (*sparse.CSR[float64], error) {
	return e.copy(ctx, make([]float64, e.Features.Nonzeros))
}

// Pattern is Copy of the row offsets and the columns. A quarter to a half of the bytes is not read.
func (e *Entry) Pattern(ctx context.Context) (*sparse.CSR[float64], error) { return e.copy(ctx, nil) }

func (e *Entry) copy(ctx context.Context, values []float64) (*sparse.CSR[float64], error) {
	a := &sparse.CSR[float64]{
		Rows: e.Features.Rows, Cols: e.Features.Cols,
		RowPtr: make([]int32, e.Features.Rows+1), ColIdx: make([]int32, e.Features.Nonzeros), Val: values,
	}
	pieces := piecesOf(a, e.layout)
	err := panics.Each(ctx, len(pieces), func(i int) error {
		if _, err := e.f.ReadAt(pieces[i].memory, pieces[i].at); err != nil {
			return err
		}
		if i >= len(e.sums) || sum(pieces[i].memory) != e.sums[i] {
			return errors.New("the arrays do not give the checksums in the header")
		}
		return nil
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, damaged(e.f.Name(), err)
	}
	return a, nil
}

// Close lets the entry be evicted.
func (e *Entry) Close() error { return e.f.Close() }

// An entry is, each part at a multiple of 64 bytes and the gaps filled with zeros:
//
//	 0  16 bytes  magic
//	16   uint32   1, in the byte order of the machine
//	20   uint32   length of the header with its gap
//	24   uint64   length of the file
//	32  32 bytes  SHA-256 of the header without these 32 bytes
//	64            header in JSON
//	…             row offsets, int32; columns, int32; values, float64
const (
	magic     = "spmvtune csr 2\r\n" // line ends that are converted show
	anyMagic  = "spmvtune csr "      // of all versions
	fixed     = 64
	digestAt  = 32
	alignment = 64
	// maxHeader bounds how much is read from a damaged file.
	maxHeader = 1 << 20
)

// Meta describes the matrix of an entry. The sizes are among the features.
type Meta struct {
	Key Key `json:"key"`
	// path, or generator with arguments: where it came from when it was stored
	Source    string           `json:"source"`
	Field     string           `json:"field"`
	Symmetry  string           `json:"symmetry"`
	NonFinite int              `json:"non_finite"`
	Odd       string           `json:"odd,omitempty"` // see file.Matrix
	Hash      string           `json:"hash"`          // sparse.CSR.Hash
	Features  sparse.Features  `json:"features"`
	Pattern   sparse.Thumbnail `json:"pattern"`
	// FeaturesSeconds is the time that computing the features took; 0: not known.
	FeaturesSeconds float64 `json:"features_seconds,omitempty"`
}

// A header is Meta, and what the arrays are checked against: the CRC-32C of each 4 MiB of the
// row offsets, the columns and the values, in this order. They detect damage; Meta's hash
// identifies the matrix.
type header struct {
	Meta
	Sums []uint32 `json:"sums"`
}

// A layout says where the parts of an entry begin, in bytes.
type layout struct {
	rowPtr, colIdx, val, size int64
}

func align(n int64) int64 { return (n + alignment - 1) &^ (alignment - 1) }

// layoutOf is that of an entry whose header takes this many bytes.
func layoutOf(header int64, f sparse.Features) layout {
	var l layout
	l.rowPtr = header
	l.colIdx = align(l.rowPtr + 4*int64(f.Rows+1))
	l.val = align(l.colIdx + 4*int64(f.Nonzeros))
	l.size = align(l.val + 8*int64(f.Nonzeros))
	return l
}

// encodeHeader returns the first bytes of an entry, and where its arrays go.
func encodeHeader(head header) ([]byte, layout, error) {
	text, err := json.Marshal(head)
	if err != nil {
		return nil, layout{}, err
	}
	length := align(int64(fixed + len(text)))
	if length > maxHeader {
		return nil, layout{}, fmt.Errorf("a header of %d bytes", length)
	}

	l := layoutOf(length, head.Features)
	h := make([]byte, length)
	copy(h, magic)
	binary.NativeEndian.PutUint32(h[16:], 1)
	binary.NativeEndian.PutUint32(h[20:], uint32(length))
	binary.NativeEndian.PutUint64(h[24:], uint64(l.size))
	copy(h[fixed:], text)

	sum := headerSum(h)
	copy(h[digestAt:], sum[:])
	return h, l, nil
}

func headerSum(h []byte) [sha256.Size]byte {
	return sha256.Sum256(append(h[:digestAt:digestAt], h[fixed:]...))
}

// decodeHeader reads and checks the header of a file of this many bytes.
func decodeHeader(r io.ReaderAt, size int64) (header, layout, error) {
	var m header
	start := make([]byte, fixed)
	if _, err := r.ReadAt(start, 0); err != nil {
		return m, layout{}, fmt.Errorf("reading the header: %w", err)
	}

	length := binary.NativeEndian.Uint32(start[20:])
	switch {
	case string(start[:len(magic)]) != magic && string(start[:len(anyMagic)]) == anyMagic:
		return m, layout{}, fmt.Errorf("another version of spmvtune wrote it")
	case string(start[:len(magic)]) != magic:
		return m, layout{}, fmt.Errorf("the file does not begin as an entry does")
	case binary.NativeEndian.Uint32(start[16:]) != 1:
		return m, layout{}, fmt.Errorf("it was written by a machine with another byte order")
	case length < fixed || length > maxHeader || int64(length) > size:
		return m, layout{}, fmt.Errorf("the header is damaged")
	}

	h := make([]byte, length)
	if _, err := r.ReadAt(h, 0); err != nil {
		return m, layout{}, fmt.Errorf("reading the header: %w", err)
	}
	if sum := headerSum(h); !bytes.Equal(sum[:], h[digestAt:fixed]) {
		return m, layout{}, fmt.Errorf("the header is damaged")
	}
	if err := json.Unmarshal(bytes.TrimRight(h[fixed:], "\x00"), &m); err != nil {
		return m, layout{}, fmt.Errorf("reading the header: %w", err)
	}

	f := m.Features
	if min(f.Rows, f.Cols, f.Nonzeros) < 0 || max(f.Rows, f.Cols, f.Nonzeros) > sparse.MaxIndex {
		return m, layout{}, fmt.Errorf("the header claims %d rows, %d columns and %d nonzeros", f.Rows, f.Cols,
			f.Nonzeros)
	}

	l := layoutOf(int64(length), f)
	if l.size != size || int64(binary.NativeEndian.Uint64(h[24:])) != size {
		return m, layout{}, fmt.Errorf("the file has %d bytes instead of %d", size, l.size)
	}
	return m, l, nil
}
