package file

import (
	"context"
	"io"

	"spmvtune/sparse/internal/text"
)

// What readers are asked for, and what they give.
type (
	Options = text.Options
	Matrix  = text.Matrix
	Size    = text.Size
	Error   = text.Error
)

// RealPart is the setting of [Options.Complex] that drops imaginary parts.
const RealPart = text.RealPart

// DefaultOptions expand and refuse complex files.
var DefaultOptions = text.DefaultOptions

// Read reads the file at path until ctx ends. A file that breaks its format gives
// an *Error.
func Read(ctx context.Context, path string, opt Options) (*Matrix, error) {
	f, err := text.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, err := Decode(&text.Interruptible{Ctx: ctx, R: f}, path, opt)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}

	return m, err
}

// Decode reads a matrix from r, which it reads to the end. name is what errors
// call it, and what has the extension.
func Decode(r io.Reader, name string, opt Options) (*Matrix, error) {
	if err := opt.Check(name); err != nil {
		return nil, err
	}
	s, err := text.NewSource(r, name, members...)
	if err != nil {
		return nil, err
	}
	return formatOf(s).Parse(s, opt)
}
