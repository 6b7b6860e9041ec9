package analysis

import (
	"slices"
	"strings"

	"spmvtune/sparse/generate"
	"spmvtune/store"
)

// Generated reports whether a generator made the matrix of this name. Twins are generated, too.
func (d *Data) Generated(matrix string) bool {
	i := slices.IndexFunc(d.Matrices, func(m store.Matrix) bool { return m.Name == matrix })
	if i < 0 {
		return false
	}
	m := &d.Matrices[i]
	generator, args, _ := strings.Cut(m.Source, "(")
	_, known := generate.Lookup(generator)
	return m.TwinOf != "" || known && strings.HasSuffix(args, ")")
}
