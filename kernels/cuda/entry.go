package cuda

import (
	"slices"
	"strings"

	"spmvtune/kernels"
)

// Entry tells which entry of the PTX has the block and the grid of a configuration, by
// its name there, on a matrix of so many rows and nonzeros: profilers name launches so.
// Of a kernel that launches several it is the one that reads the matrix's values. It is
// "" for a kernel of another backend or of a library, and for a configuration that can't
// run.
func Entry(c kernels.Config, rows, nonzeros int) string {
	newRecipe, ok := recipes[c.Kernel]
	if !ok {
		return ""
	}

	// Of the matrix, only the mean row length enters a name.
	r, err := newRecipe(oneRow((2*nonzeros+rows)/max(2*rows, 1)), c, c.Precision.Bytes())
	if err != nil {
		return ""
	}
	i := 0
	if len(r.Steps) > 1 {
		i = slices.IndexFunc(r.Steps, func(s step) bool { return slices.Contains(s.Args, ptr(val)) })
	}

	return r.Steps[i].Entry + suffix(c.Precision.Bytes())
}

// oneRow is a row of so many nonzeros.
func oneRow(nonzeros int) *structure {
	m := &structure{Rows: 1, Cols: nonzeros, RowPtr: []int32{0, int32(nonzeros)}, ColIdx: make([]int32, nonzeros),
		Val: make([]float64, nonzeros)}
	for i := range m.ColIdx {
		m.ColIdx[i] = int32(i)
	}
	return m
}

// suffix is what the name of an entry ends in for values of v bytes.
func suffix(v int) string {
	if v == 4 {
		return "_f32"
	}
	return "_f64"
}

// Fact is what is noted of the launch of an entry, as Entry names it, among the facts of a
// product, by name ("registers", …).
func Fact(facts map[string]float64, name, entry string) (v float64, noted bool) {
	plain := entry[:max(0, strings.LastIndexByte(entry, '_'))] // without the precision
	if v, noted = facts[name+":"+plain]; !noted {
		v, noted = facts[name]
	}
	return v, noted
}
