package cuda

import (
	"math"

	"spmvtune/kernels"
)

// binSize is the most nonzeros of a bin (csr-bins-and-hybrid, Alg. 3).
const binSize = 64

const binRow = "bin_rows"

// binsV1Recipe cuts the nonzeros into bins, and lists the row in which each begins.
func binsV1Recipe(m *structure, c kernels.Config, v int) (*recipe, error) {
	suffix, shared := buffered(c, v)
	if shared > 0 {
		shared += c.Block * 4 // rows
	}
	type key struct{ every int }
	rows := pack(m, key{binSize}, func() ([]int32, int64) {
		rows := rowsAt(m.RowPtr, m.NNZ(), binSize)
		return rows, 4 * int64(len(rows))
	})

	r := addToY(csrStep(m, c, c.Kernel+suffix, shared, num(m.NNZ()), ptr(binRow), num(binSize)))
	r.Aux = []aux{{Name: binRow, Ints: rows}}
	return r, nil
}

// rowsAt returns the rows of nonzeros 0, every, 2·every, … and, last, of the last
// nonzero.
func rowsAt(rowPtr []int32, nnz, every int) []int32 {
	rows := make([]int32, 0, ceilDiv(nnz, every)+1)
	row := 0
	at := func(j int) {
		for int(rowPtr[row+1]) <= j {
			row++
		}
		rows = append(rows, int32(row))
	}

	for j := 0; j < nnz; j += every {
		at(j)
	}
	if nnz > 0 {
		at(nnz - 1)
	}
	return rows
}

// binsRecipe packs rows into bins.
func binsRecipe(m *structure, c kernels.Config, v int) (*recipe, error) {
	bins := rowRuns(m, binSize)
	suffix, shared := buffered(c, v)
	r := oneStep(csrStep(m, c, c.Kernel+suffix, shared, ptr(binRow), num(len(bins)-1)))
	r.Aux = []aux{{Name: binRow, Ints: bins}}
	return r, nil
}

// hybridRecipe sorts the rows by class.
func hybridRecipe(m *structure, c kernels.Config, v int) (*recipe, error) {
	const byClass = "rows_by_class"
	long := math.MaxInt // csr_hybrid_v1 has no long rows
	if c.Kernel == "csr_hybrid" {
		long = settingInt(c, "long")
	}

	type key struct{ short, long int }
	k := key{settingInt(c, "short"), long}
	rows := pack(m, k, func() (classes, int64) {
		rows := classify(m.RowPtr, k.short, k.long)
		return rows, 4 * int64(len(rows.order))
	})
	suffix, shared := buffered(c, v)

	r := oneStep(csrStep(m, c, c.Kernel+suffix, shared,
		ptr(byClass), num(rows.ordered()), num(rows.longs), num(rows.mediums), num(rows.shorts)))
	r.Aux = []aux{{Name: byClass, Ints: rows.order}}
	return r, nil
}

// classes are rows by length: long, medium and short ones, in this order.
type classes struct {
	order                  []int32 // empty if it is 0, 1, 2, …
	longs, mediums, shorts int
}

// classify calls rows below short nonzeros short, and others of at least long
// nonzeros long.
func classify(rowPtr []int32, short, long int) classes {
	class := func(i int) int {
		switch n := int(rowPtr[i+1]) - int(rowPtr[i]); {
		case n >= long && n >= short:
			return 0
		case n >= short:
			return 1
		}
		return 2
	}

	rows := len(rowPtr) - 1
	var count [3]int
	for i := range rows {
		count[class(i)]++
	}

	c := classes{longs: count[0], mediums: count[1], shorts: count[2], order: []int32{}}
	if max(c.longs, c.mediums, c.shorts) == rows {
		return c
	}
	c.order = make([]int32, rows)
	next := [3]int{0, c.longs, c.longs + c.mediums}

	for i := range rows {
		k := class(i)
		c.order[next[k]] = int32(i)
		next[k]++
	}
	return c
}

// ordered is 1 if order must be read, and otherwise 0.
func (c classes) ordered() int {
	if len(c.order) > 0 {
		return 1
	}
	return 0
}
