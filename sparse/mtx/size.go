package mtx

import (
	"errors"
	"fmt"
	"io"
)

// A Size is what the first lines of a file say about it.
type Size struct {
	Rows, Cols int
	Entries    int  // in the file
	Symmetric  bool // or skew-symmetric or Hermitian: only a triangle is in the file
}

// ReadSize reads little more of the file at path, which may be packed with gzip, than
// its size line. Errors are those of Read.
func ReadSize(path string, opt Options) (Size, error) {
	f, err := open(path)
	if err != nil {
		return Size{}, err
	}
	defer f.Close()
	size, err := decodeSize(&beginning{f, usualHeader}, path, opt)
	if !errors.Is(err, errBeyond) {
		return size, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return Size{}, fmt.Errorf("reading %s again: %w", path, err)
	}
	return decodeSize(f, path, opt)
}

func decodeSize(r io.Reader, name string, opt Options) (Size, error) {
	s, err := newSource(r, name)
	if err != nil {
		return Size{}, err
	}
	h, err := readHeader(s)
	if err == nil {
		err = h.wanted(s, opt)
	}
	if err != nil {
		return Size{}, err
	}
	return Size{h.rows, h.cols, h.entries, h.symmetry != "general"}, nil
}

// usualHeader is within how many bytes the size line of nearly every file is. Of
// thousands of files, on a file system that many share, not more should be read.
const usualHeader = 8 << 10

// errBeyond says that a header goes on beyond its usual length.
var errBeyond = errors.New("the header is longer")

// A beginning is the first left bytes of r, and not its end.
type beginning struct {
	r    io.Reader
	left int
}

func (b *beginning) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, errBeyond
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
