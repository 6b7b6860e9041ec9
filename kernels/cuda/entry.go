package cuda

import (
	"slices"
	"strings"

	"spmvtune/kernels"
)

// Mark is the entry whose launch stands before the products of each trial that a profiler counts.
const Mark = "gate"

// Entry returns the name of the PTX entry that is launched with the block and the grid of a
// configuration, on a matrix with these numbers of rows and nonzeros. Profilers call launches
// by this name. If a kernel launches several entries, it is the one that reads the matrix's
// values. It is "" for a kernel of another backend or of a library, and for a configuration
// that can't run.
func Entry(c kernels.Config, rows, nonzeros int) string {
	newRecipe, ok := recipes[c.Kernel]
	if !ok {
		return ""
	}

	// A name depends on the matrix only through the mean row length.
	r, err := newRecipe(oneRow((2*nonzeros+rows)/max(2*rows, 1)), c, c.Precision.Bytes())
	if err != nil {
		return ""
	}
	i := max(0, slices.IndexFunc(r.Steps, r.readsValues))
	return r.Steps[i].Entry + suffix(c.Precision.Bytes())
}

// readsValues reports whether a step has the matrix's values, in whatever order.
func (r *recipe) readsValues(s step) bool {
	return slices.ContainsFunc(s.Args, func(g arg) bool {
		return g.array == val || slices.ContainsFunc(r.Aux, func(x aux) bool { return x.Name == g.array && x.Vals != nil })
	})
}

// oneRow is a matrix of one row with this many nonzeros.
func oneRow(nonzeros int) *structure {
	m := &structure{Rows: 1, Cols: nonzeros, RowPtr: []int32{0, int32(nonzeros)}, ColIdx: make([]int32, nonzeros),
		Val: make([]float64, nonzeros)}
	for i := range m.ColIdx {
		m.ColIdx[i] = int32(i)
	}
	return m
}

// suffix is the ending of an entry's name for values of v bytes.
func suffix(v int) string {
	if v == 4 {
		return "_f32"
	}
	return "_f64"
}

// Fact returns a fact about the launch of an entry, as Entry names it, from the facts of a
// product; name is "registers" or the like.
func Fact(facts map[string]float64, name, entry string) (v float64, noted bool) {
	plain := entry[:max(0, strings.LastIndexByte(entry, '_'))] // without the precision
	if v, noted = facts[name+":"+plain]; !noted {
		v, noted = facts[name]
	}
	return v, noted
}
