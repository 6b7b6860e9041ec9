package analysis

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"spmvtune/kernels"
)

// KernelsOf lists the kernels of some panels in the catalogue's order. Kernels that are not
// in the catalogue come last, by name.
func KernelsOf(panels []Panel) []string {
	found := map[string]bool{}
	for _, p := range panels {
		for i := range p.Rows {
			found[p.Rows[i].Kernel] = true
		}
	}
	names := slices.Collect(maps.Keys(found))
	SortKernels(names)
	return names
}

// SortKernels sorts names as KernelsOf does.
func SortKernels(names []string) { slices.SortFunc(names, compareKernels) }

func compareKernels(a, b string) int {
	return cmp.Or(cmp.Compare(catalogueIndex(a), catalogueIndex(b)), cmp.Compare(a, b))
}

// catalogueIndex is the kernel's index in the catalogue, or the length of the catalogue.
func catalogueIndex(kernel string) int {
	if i, known := catalogueIndexes()[kernel]; known {
		return i
	}
	return len(kernels.Catalogue)
}

var catalogueIndexes = sync.OnceValue(func() map[string]int {
	indexes := map[string]int{}
	for i, name := range kernels.Names() {
		indexes[name] = i
	}
	return indexes
})
