package kernels

import (
	"slices"
	"strings"
)

// Catalogue lists all kernels by family, in the order in which tables and legends show them. It
// must not be changed.
var Catalogue = slices.Concat(
	cpuKernels,
	cooSimpleKernels,
	cooScanKernels,
	csrFiveKernels,
	csrShuffleKernels,
	csrBinsKernels,
	aheadKernels,
	peerKernels,
	sliceKernels,
	hubKernels,
	streamKernels,
	vendorKernels,
)

// Lookup returns the kernel with this name.
func Lookup(name string) (Kernel, bool) {
	for i := range Catalogue {
		if Catalogue[i].Name == name {
			return Catalogue[i], true
		}
	}
	return Kernel{}, false
}

// Names returns the names of all kernels in the order of the catalogue.
func Names() []string {
	names := make([]string, len(Catalogue))
	for i, k := range Catalogue {
		names[i] = k.Name
	}
	return names
}

// Library reports whether a kernel is one of cuSPARSE's.
func (k Kernel) Library() bool { return strings.HasPrefix(k.Name, "cusparse_") }

// Plain reports whether a configuration of k reads the matrix as CSR or COO has it, without
// another format or another order of rows.
func (k Kernel) Plain(c Config) bool {
	_, reordered := c.Params.Get(Reorder)
	return (k.Format == CSR || k.Format == COO) && !reordered
}
