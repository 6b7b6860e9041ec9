package tuner

import (
	"fmt"

	"spmvtune/configs"
	"spmvtune/sparse/file"
	"spmvtune/sparse/generate"
)

// A Size is what a plan without identities needs of a matrix.
type Size struct {
	Rows, Cols, Nonzeros int
}

// SizeOf finds out the size of the matrix that a sweep names, without loading it: a
// file's from its header, a generated one's from its arguments. The nonzeros may be a
// few per cent off: a symmetric file does not say how many entries lie on the
// diagonal, and some generators draw entries twice. Of a matrix that is not downloaded
// yet it is that of its twin, or zero where it has none.
func SizeOf(spec configs.Matrix) (Size, error) {
	if spec.Generate != "" {
		s, err := generate.Plan(spec.Generate, spec.Args)
		if err != nil {
			return Size{}, fmt.Errorf("planning %s: %w", spec.Name, err)
		}
		return Size{s.Rows, s.Cols, s.NNZ}, nil
	}
	if !spec.Settled() {
		return Size{}, nil
	}
	h, err := file.ReadSize(spec.Path, readOptions(spec))
	if err != nil {
		return Size{}, err
	}
	s := Size{h.Rows, h.Cols, h.Entries}
	if spec.Expand && h.Symmetric {
		s.Nonzeros *= 2
	}
	return s, nil
}

// size is that of a matrix that was loaded.
func (m Matrix) size() Size {
	return Size{m.Features.Rows, m.Features.Cols, m.Features.Nonzeros}
}
