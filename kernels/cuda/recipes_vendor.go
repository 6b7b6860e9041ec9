package cuda

import (
	"spmvtune/kernels"
	"spmvtune/sparse"
)

// A vendorMatrix says in which form cuSPARSE reads the matrix, and from which arrays.
type vendorMatrix struct {
	algorithm int          // a number of cusparseSpMVAlg_t
	form      vendorForm   //
	entries   int          // stored entries, padding included
	height    int          // rows of a slice or block
	arrays    vendorArrays //
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

// vendorArrays are names of arrays on the device. Starts are the row offsets (CSR), the row
// indices (COO), or the offsets of slices (SELL) and block rows (BSR).
type vendorArrays struct{ starts, columns, values string }

// A vendorFunc makes the recipe of a kernel of cuSPARSE. The recipe's only step names the
// arrays that the product reads and writes; the library launches in its place.
type vendorFunc func(m *structure, c kernels.Config) (*recipe, vendorMatrix, error)

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

// vendorRecipe is the recipe of an algorithm that reads the arrays of vendorArrays.
func vendorRecipe(own []aux, v vendorMatrix) *recipe {
	a := v.arrays
	return &recipe{Aux: own, Steps: []step{{
		Args: []arg{ptr(a.starts), ptr(a.columns), ptr(a.values), ptr(vecX), ptr(vecY)},
	}}}
}

// vendorConverted is for algorithms that read the matrix in another form: order gives its values.
func vendorConverted(v vendorMatrix, starts, columns, order []int32) *recipe {
	a := v.arrays
	return vendorRecipe([]aux{
		{Name: a.starts, Ints: starts}, {Name: a.columns, Ints: columns}, {Name: a.values, Vals: order},
	}, v)
}

// vendorPlain is for algorithms that read CSR or COO.
func vendorPlain(algorithm int, form vendorForm, starts string) vendorFunc {
	return func(m *structure, _ kernels.Config) (*recipe, vendorMatrix, error) {
		v := vendorMatrix{
			algorithm: algorithm, form: form, entries: m.NNZ(),
			arrays: vendorArrays{starts: starts, columns: colIdx, values: val},
		}
		return vendorRecipe(nil, v), v, nil
	}
}

// vendorSlices is for SELL. The library takes rows in their order, and wants the column −1 for
// padding.
func vendorSlices(m *structure, c kernels.Config) (*recipe, vendorMatrix, error) {
	type key struct{ slice int }
	k := key{settingInt(c, "slice")}
	s := pack(m, k, func() (*sellPacking, int64) {
		p, bytes := packSELL(m, k.slice, 1)
		for i, from := range p.order {
			if from < 0 {
				p.columns[i] = -1
			}
		}
		return p, bytes
	})
	if s.err != nil {
		return nil, vendorMatrix{}, invalid("%v", s.err)
	}

	v := vendorMatrix{
		algorithm: 5, form: vendorSELL, entries: len(s.columns), height: k.slice,
		arrays: vendorArrays{starts: "slice_starts", columns: "slice_columns", values: "slice_values"},
	}
	return vendorConverted(v, s.chunkPtr, s.columns, s.order), v, nil
}

// vendorBlocks is for BSR, in square blocks that begin at multiples of their size.
func vendorBlocks(m *structure, c kernels.Config) (*recipe, vendorMatrix, error) {
	type (
		key     struct{ size int }
		packing struct {
			*sparse.BSR
			err error // why there is none
		}
	)
	k := key{int(setting(c, "shape")[0] - '0')}
	b := pack(m, k, func() (packing, int64) {
		b, err := sparse.NewBSR(m, k.size, max(2*m.NNZ(), alwaysStored))
		if err != nil {
			return packing{err: err}, 0
		}
		return packing{BSR: b}, 4 * int64(len(b.Starts)+len(b.Columns)+len(b.Order))
	})
	switch {
	case b.err != nil:
		return nil, vendorMatrix{}, invalid("%v", b.err)
	case len(b.Columns) == 0:
		return nil, vendorMatrix{}, invalid("there are no blocks")
	}

	v := vendorMatrix{
		algorithm: 6, form: vendorBSR, entries: len(b.Order), height: k.size,
		arrays: vendorArrays{starts: "block_starts", columns: "block_columns", values: "block_values"},
	}
	return vendorConverted(v, b.Starts, b.Columns, b.Order), v, nil
}
