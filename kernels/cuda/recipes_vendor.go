// SPDX-License-Identifier: Apache-2.0

package cuda

import (
	"fmt"

	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
)

// A vendorMatrix says in which form cuSPARSE reads the matrix, and from which arrays.
type vendorMatrix struct {
	algorithm int // a number of cusparseSpMVAlg_t
	form      vendorForm
	entries   int // stored entries, padding included
	height    int // rows of a slice or block
	// starts are the row offsets (CSR), the row indices (COO), or the offsets of slices (SELL) and block rows (BSR).
	starts, columns, values arg
}

// A vendorForm is a storage format of the library.
type vendorForm int

// The numbers are those of the C side.
const (
	vendorCSR vendorForm = iota
	vendorCOO
	vendorSELL
	vendorBSR
)

// A vendorFunc puts the matrix into the form that a kernel of cuSPARSE reads.
type vendorFunc func(m *structure, c kernels.Config) (vendorMatrix, error)

// vendorRecipes has the kernels of cuSPARSE. The numbers are those of cusparseSpMVAlg_t,
// unchanged from CUDA 11.2 on.
var vendorRecipes = map[string]vendorFunc{
	"cusparse_csr_alg1": vendorPlain(2, vendorCSR, rowPtr),
	"cusparse_csr_alg2": vendorPlain(3, vendorCSR, rowPtr),
	"cusparse_coo_alg1": vendorPlain(1, vendorCOO, rowIdx),
	"cusparse_coo_alg2": vendorPlain(4, vendorCOO, rowIdx),
	"cusparse_spmvop":   vendorPlain(vendorOperation, vendorCSR, rowPtr),
	"cusparse_sell":     vendorSlices,
	"cusparse_bsr":      vendorBlocks,
}

// vendorOperation stands for cusparseSpMVOp in the place of an algorithm of cusparseSpMV.
const vendorOperation = -1

// vendorPlain is for algorithms that read CSR or COO.
func vendorPlain(algorithm int, form vendorForm, starts string) vendorFunc {
	return func(m *structure, _ kernels.Config) (vendorMatrix, error) {
		return vendorMatrix{algorithm: algorithm, form: form, entries: m.NNZ(), starts: ptr(starts), columns: ptr(colIdx),
			values: ptr(val)}, nil
	}
}

// vendorSlices is for SELL. The library takes rows in their order, and wants the column −1 for
// padding.
func vendorSlices(m *structure, c kernels.Config) (vendorMatrix, error) {
	slice := settingInt(c, "slice")
	s, err := pack(m, fmt.Sprint("vendor SELL ", slice), func() (*sellPacking, error) {
		p, err := packSELL(m, slice, 1)
		if err != nil {
			return nil, err
		}
		for i, from := range p.order {
			if from < 0 {
				p.columns[i] = -1
			}
		}
		return p, nil
	})
	if err != nil {
		return vendorMatrix{}, err
	}
	return vendorMatrix{algorithm: 5, form: vendorSELL, entries: len(s.columns), height: slice,
		starts: ints("slice_starts", s.chunkPtr), columns: ints("slice_columns", s.columns),
		values: permuted("slice_values", s.order)}, nil
}

// vendorBlocks is for BSR, in square blocks that begin at multiples of their size.
func vendorBlocks(m *structure, c kernels.Config) (vendorMatrix, error) {
	size := int(setting(c, "shape")[0] - '0')
	b, err := pack(m, fmt.Sprint("BSR ", size), func() (*sparse.BSR, error) {
		return sparse.NewBSR(m, size, max(2*m.NNZ(), alwaysStored))
	})
	switch {
	case err != nil:
		return vendorMatrix{}, err
	case len(b.Columns) == 0:
		return vendorMatrix{}, invalid("there are no blocks")
	}
	return vendorMatrix{algorithm: 6, form: vendorBSR, entries: len(b.Order), height: size,
		starts: ints("block_starts", b.Starts), columns: ints("block_columns", b.Columns),
		values: permuted("block_values", b.Order)}, nil
}
