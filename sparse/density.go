// SPDX-License-Identifier: Apache-2.0

package sparse

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"sort"
	"sync/atomic"

	"example.org/spmvtune/internal/base/panics"
)

// A Density is a matrix seen from afar: its entries counted over a grid of bins,
// which are as alike in size as whole rows and columns allow.
type Density struct {
	Height, Width int      // bins down and across; none where the matrix has no rows or columns
	Count         []uint32 // entries per bin, row by row
	Most          uint32   // entries in the fullest bin
}

// NewDensity counts the entries of m over height by width bins, or fewer: no bin is smaller
// than a row or a column. Row i belongs to bin ⌊i·height/rows⌋, column j likewise. It reads row
// offsets and columns once, on all cores. m must be valid (see [CSR.Validate]).
func NewDensity[V Float](m *CSR[V], height, width int) *Density {
	d := &Density{Height: max(0, min(height, m.Rows)), Width: max(0, min(width, m.Cols))}
	if d.Height == 0 || d.Width == 0 {
		return &Density{}
	}
	d.Count = make([]uint32, d.Height*d.Width)
	// ⌊j·width/cols⌋ is the upper half of j·inverse: rounding the inverse up adds less
	// than 2⁻³³ to a quotient whose fraction is at most 1 − 1/cols, cols below 2³¹.
	var inverse uint64
	if d.Width < m.Cols {
		inverse, _ = bits.Div64(uint64(d.Width), 0, uint64(m.Cols))
		inverse++
	}

	first := func(line int) int32 { return m.RowPtr[(line*m.Rows+d.Height-1)/d.Height] } // entry
	var taken atomic.Int64
	panics.Parts(0, workers(m.NNZ()), func(_, _, _ int) {
		for line := int(taken.Add(1)) - 1; line < d.Height; line = int(taken.Add(1)) - 1 {
			counts := d.Count[line*d.Width:][:d.Width]
			for _, j := range m.ColIdx[first(line):first(line+1)] {
				at := uint64(j)
				if inverse != 0 {
					at, _ = bits.Mul64(at, inverse)
				}
				counts[at]++
			}
		}
	})

	for _, n := range d.Count {
		d.Most = max(d.Most, n)
	}
	return d
}

// rowOf returns the row that holds entry k: the last that starts at or before it.
func rowOf(rowPtr []int32, k int) int {
	return sort.Search(len(rowPtr), func(i int) bool { return int(rowPtr[i]) > k }) - 1
}

// Shrink counts the entries of d over fewer bins, as NewDensity would over a matrix
// with a row or column for each bin of d.
func (d *Density) Shrink(height, width int) *Density {
	s := &Density{Height: min(height, d.Height), Width: min(width, d.Width)}
	if s.Height == 0 || s.Width == 0 {
		return &Density{}
	}
	s.Count = make([]uint32, s.Height*s.Width)

	for i := range d.Height {
		line := s.Count[i*s.Height/d.Height*s.Width:][:s.Width]
		for j := range d.Width {
			at := j * s.Width / d.Width
			line[at] += d.Count[i*d.Width+j]
			s.Most = max(s.Most, line[at])
		}
	}

	return s
}

// ThumbnailSide is the most bins that a [Thumbnail] has in either direction.
const ThumbnailSide = 128

// A Thumbnail is a [Density] of at most 128 by 128 bins, packed to be kept with the
// features of a matrix: a version, height and width as varints, and then a byte per
// bin, compressed with DEFLATE. It takes at most 17 kB; 0.1 kB is a grid, 9 a power law.
//
// The byte of an empty bin is 0, that of n entries is 1 + 8·log₂ n, rounded: counts
// come back within 4.5%, which is less than a colour shows, and 1 exactly.
type Thumbnail []byte

const (
	thumbnailVersion = 1
	levelsPerOctave  = 8
)

// NewThumbnail makes that of m, in one pass over row offsets and columns.
func NewThumbnail[V Float](m *CSR[V]) Thumbnail {
	return NewDensity(m, ThumbnailSide, ThumbnailSide).pack()
}

func (d *Density) pack() Thumbnail {
	head := binary.AppendUvarint([]byte{thumbnailVersion}, uint64(d.Height))
	out := bytes.NewBuffer(binary.AppendUvarint(head, uint64(d.Width)))
	levels := make([]byte, len(d.Count))
	for i, n := range d.Count {
		if n > 0 {
			levels[i] = byte(1 + math.Round(levelsPerOctave*math.Log2(float64(n))))
		}
	}

	w, _ := flate.NewWriter(out, flate.BestCompression) // the level is a valid one
	w.Write(levels)                                     // and a buffer takes everything
	w.Close()
	return out.Bytes()
}

// errThumbnail is the error for content that NewThumbnail does not make.
var errThumbnail = errors.New("the thumbnail is damaged")

// Density unpacks t.
func (t Thumbnail) Density() (*Density, error) {
	r := bytes.NewReader(t)
	if version, err := r.ReadByte(); err != nil || version != thumbnailVersion {
		return nil, fmt.Errorf("%w or of another version", errThumbnail)
	}
	height, err := binary.ReadUvarint(r)
	if err != nil || height > ThumbnailSide {
		return nil, errThumbnail
	}

	width, err := binary.ReadUvarint(r)
	if err != nil || width > ThumbnailSide || (width == 0) != (height == 0) {
		return nil, errThumbnail
	}
	levels := make([]byte, height*width+1) // one more than there may be
	n, err := io.ReadFull(flate.NewReader(r), levels)
	if !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) || n != len(levels)-1 {
		return nil, errThumbnail
	}

	d := &Density{Height: int(height), Width: int(width)}
	for _, level := range levels[:n] {
		var count uint32
		if level > 0 {
			count = uint32(min(math.Round(math.Exp2(float64(level-1)/levelsPerOctave)), math.MaxInt32))
		}
		d.Count = append(d.Count, count)
		d.Most = max(d.Most, count)
	}

	return d, nil
}
