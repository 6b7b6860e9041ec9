package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"

	"spmvtune/sparse"
)

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
	Odd       string           `json:"odd,omitempty"` // see text.Matrix
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
