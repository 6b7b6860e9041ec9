package mtx

import (
	"io"

	"spmvtune/sparse/internal/text"
)

// decode reads a matrix from r to its end; name is what errors call it.
func decode(r io.Reader, name string, opt text.Options) (*text.Matrix, error) {
	if err := opt.Check(name); err != nil {
		return nil, err
	}
	s, err := text.NewSource(r, name, Format.Extensions[0])
	if err != nil {
		return nil, err
	}
	return parse(s, opt)
}
