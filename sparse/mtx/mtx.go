package mtx

import (
	"context"
	"fmt"
	"io"
	"os"

	"spmvtune/sparse"
)

// Options say how to read a file. Start from DefaultOptions.
type Options struct {
	// Expand mirrors the stored triangle of symmetric, skew-symmetric and
	// hermitian files. Without it only the stored entries are read, as some
	// published measurements did.
	Expand bool
	// Complex says what to do with complex files: "" refuses them, "real-part"
	// drops the imaginary parts.
	Complex string
}

// RealPart is the setting of [Options.Complex] that drops imaginary parts.
const RealPart = "real-part"

// DefaultOptions expand and refuse complex files.
var DefaultOptions = Options{Expand: true}

// A Matrix is a matrix and what its file said about it.
type Matrix struct {
	A *sparse.CSR[float64]

	Format   string // "coordinate" or "array"
	Field    string // "real", "integer", "pattern" or "complex"
	Symmetry string // "general", "symmetric", "skew-symmetric" or "hermitian"
	Comment  string // comment lines of the header without their %, at most 64 KiB

	// Declared is the number of entries in the file: the count in its size line
	// or, for an array, the number of values that its sizes call for.
	Declared int
	// Duplicates is how many entries, after expansion, were added to another one
	// at the same position.
	Duplicates int
	// NonFinite is how many entries in the file are NaN, infinite, or beyond the
	// range of float64 and so read as infinite.
	NonFinite int
}

// Read reads the file at path until ctx ends. A packed file is recognised by its
// content. A file that breaks the format gives an *Error.
func Read(ctx context.Context, path string, opt Options) (*Matrix, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, err := Decode(&interruptible{ctx, f}, path, opt)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return m, err
}

// open opens a file, and nothing else.
func open(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening matrix: %w", err)
	}
	info, err := f.Stat()
	switch {
	case err != nil:
		err = fmt.Errorf("opening matrix: %w", err)
	case info.IsDir():
		err = fmt.Errorf("opening matrix: %s is a folder: name a file in it", path)
	case !info.Mode().IsRegular():
		err = fmt.Errorf("opening matrix: %s is not a regular file", path)
	default:
		return f, nil
	}
	f.Close()
	return nil, err
}

// interruptible reads until ctx ends.
type interruptible struct {
	ctx context.Context
	r   io.Reader
}

func (i *interruptible) Read(p []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	return i.r.Read(p)
}

// Decode reads a matrix from r, which it reads to the end; name is what errors
// call it. A stream that breaks the format gives an *Error.
func Decode(r io.Reader, name string, opt Options) (*Matrix, error) {
	if opt.Complex != "" && opt.Complex != RealPart {
		return nil, fmt.Errorf("reading %s: unknown way to read complex values %q: use %q, or \"\" to refuse them", name, opt.Complex, RealPart)
	}
	s, err := newSource(r, name)
	if err != nil {
		return nil, err
	}
	h, err := readHeader(s)
	if err != nil {
		return nil, err
	}
	if err := h.wanted(s, opt); err != nil {
		return nil, err
	}
	l := newLayout(s, h, opt)
	if h.format == "array" {
		return newArray(l).read()
	}
	b := &body{layout: l}
	if err := b.read(); err != nil {
		return nil, err
	}
	return b.assemble()
}
