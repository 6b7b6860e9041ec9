package sparse

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

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
