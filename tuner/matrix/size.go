package matrix

import (
	"fmt"

	"spmvtune/configs"
	"spmvtune/sparse/file"
	"spmvtune/sparse/generate"
	"spmvtune/tuner/trial"
)

// SizeOf returns the size of the matrix that a sweep names, without loading it: a file's
// from its header, a generated one's from its arguments. The nonzeros may be a few per
// cent off: a symmetric file does not say how many entries lie on the diagonal, and some
// generators draw entries twice. The size of a matrix that is not downloaded yet is that
// of its twin, or zero if it has none.
func SizeOf(spec configs.Matrix) (trial.Size, error) {
	if spec.Generate != "" {
		s, err := generate.Plan(spec.Generate, spec.Args)
		if err != nil {
			return trial.Size{}, fmt.Errorf("planning %s: %w", spec.Name, err)
		}
		return trial.Size{Rows: s.Rows, Cols: s.Cols, Nonzeros: s.NNZ}, nil
	}

	if !spec.Resolved() {
		return trial.Size{}, nil
	}
	h, err := file.ReadSize(spec.Path, readOptions(spec))
	if err != nil {
		return trial.Size{}, err
	}
	s := trial.Size{Rows: h.Rows, Cols: h.Cols, Nonzeros: h.Entries}
	if spec.Expand && h.Symmetric {
		s.Nonzeros *= 2
	}
	return s, nil
}
