package kernels

import "spmvtune/sparse/reorder"

// Reorder is the name of a choice that kernels share: the order of the matrix's rows.
// x is put into the new order, and y back into the old one, within the product (future work 3
// of csr-shuffle-and-shared). The preparation of a trial contains the ordering.
//
// A configuration that leaves the matrix as it is does not name it.
const Reorder = "reorder"

var reorderParam = Param{
	Name: Reorder, Default: "none", Optional: true,
	Values: append([]string{"none"}, methodNames()...),
	Doc:    "the order of the rows; x and y are permuted within the product",
}

func methodNames() []string {
	names := make([]string, len(reorder.Methods))
	for i, m := range reorder.Methods {
		names[i] = string(m)
	}
	return names
}

// Orders reports whether k has the choice of reorder. A library's kernels, those of sweeps, and
// those whose error is bounded over several rows, take the matrix as it is.
func (k Kernel) Orders() bool { return k.Scope == ScopeRow && !k.Library() && !k.Guest }

// Choices are the parameters of k with those that it shares with other kernels.
func (k Kernel) Choices() []Param {
	if !k.Orders() {
		return k.Params
	}
	return append(k.Params[:len(k.Params):len(k.Params)], reorderParam)
}
