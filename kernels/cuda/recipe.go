package cuda

import "spmvtune/sparse"

// A recipe says what one product launches, in terms of arrays on the device. It depends only on
// the matrix's structure and a configuration, not on a device, so that it can be tested
// anywhere.
type recipe struct {
	// Zero says that y must be zeroed on the device, inside the timed region,
	// because the kernel adds to it.
	Zero bool
	// Aux are the arrays that this kernel needs beyond those every problem has.
	Aux []aux
	// Clear names scratch arrays of Aux that must be zeroed before each product,
	// inside the timed region (counters).
	Clear []string
	Steps []step
	// Window is the number of consecutive nonzeros, aligned at its multiples,
	// over which a kernel with error scope "block" sums; 0 for the others.
	Window int
}

// A step is one kernel launch.
type step struct {
	Entry  string // name in the PTX, without the suffix _f32 or _f64 of the precision
	Grid   int    // blocks; a step with 0 blocks is not launched
	Block  int    // threads
	Shared int    // dynamic shared memory, bytes
	Args   []arg  // in the order of the entry's parameters
}

// An arg is an argument of an entry: an array by name, or a 32-bit number.
type arg struct {
	array string
	value int32
}

func ptr(array string) arg { return arg{array: array} }
func num(n int) arg        { return arg{value: int32(n)} }

// Arrays that every problem has on the device; an aux array may not be called
// so. COO's row indices are uploaded when a recipe first names them.
const (
	rowPtr = "row_ptr" // int32[rows+1]
	colIdx = "col_idx" // int32[nnz]
	rowIdx = "row_idx" // int32[nnz]
	val    = "val"     // V[nnz]
	vecX   = "x"       // V[cols]
	vecY   = "y"       // V[rows]
)

// An aux is an array of a kernel's own. Exactly one of the sources is set.
type aux struct {
	Name string
	// Ints is uploaded unchanged (row blocks, bins, permutations).
	Ints []int32
	// Vals is a permutation with padding of the matrix's values: element k is
	// val[Vals[k]], or 0 where Vals[k] is −1. It is uploaded as V.
	Vals []int32
	// Values is scratch for that many V, Bytes scratch for that many bytes.
	Values int
	Bytes  int
}

// A structure is the part of a matrix that recipes see.
type structure = sparse.CSR[float64]

// rowIndices returns the row of every nonzero.
func rowIndices(a *structure) []int32 {
	rows := make([]int32, a.NNZ())
	for i := range a.Rows {
		for k := a.RowPtr[i]; k < a.RowPtr[i+1]; k++ {
			rows[k] = int32(i)
		}
	}
	return rows
}

// ceilDiv is ⌈a/b⌉ for a ≥ 0, b > 0.
func ceilDiv(a, b int) int { return (a + b - 1) / b }
