package kernels

import (
	"cmp"
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

// What kernels of a family share. Every GPU from compute capability 2.0 on allows up to 1024 threads in
// a block.
var (
	cooKernel = Kernel{Format: COO, Backend: "cuda", Block: threads, Blocks: warpBlock}
	csrKernel = Kernel{
		Format: CSR, Backend: "cuda", Deterministic: true, Block: threads, Grid: blocks, Blocks: warpBlock,
	}
)

// family completes rows of the catalogue by what they share: what a row does not say is that of common, and
// Legal begins with what Blocks and common ask for. The named kernels add in any order, unlike the others.
func family(common Kernel, rows []Kernel, unordered ...string) []Kernel {
	for i, k := range rows {
		k.Backend, k.Scope = common.Backend, cmp.Or(k.Scope, ScopeRow)
		k.Format, k.Mapping = cmp.Or(k.Format, common.Format), cmp.Or(k.Mapping, common.Mapping)
		k.Block, k.Grid = cmp.Or(k.Block, common.Block), cmp.Or(k.Grid, common.Grid)
		k.Blocks = cmp.Or(k.Blocks, common.Blocks)
		k.Deterministic = common.Deterministic && !slices.Contains(unordered, k.Name)
		legal := []string{common.Legal, k.Legal}
		switch {
		case k.Blocks == warpBlock:
			legal[0] = "block a multiple of 32"
		case k.Blocks == pow2Block:
			legal[0] = "block a power of two"
		}
		k.Legal = strings.Join(slices.DeleteFunc(legal, func(s string) bool { return s == "" }), "; ")
		rows[i] = k
	}
	return rows
}

// Lookup returns the kernel with this name.
func Lookup(name string) (Kernel, bool) {
	if i := slices.IndexFunc(Catalogue, func(k Kernel) bool { return k.Name == name }); i >= 0 {
		return Catalogue[i], true
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

// A Paper is a publication that kernels and figures come from. They cite it by its key.
type Paper struct {
	Key     string // "coo-spmv-final"
	Title   string
	Authors string // "" where the text names none
	Where   string // what it was published as, and the authors' program
	Year    int
}

// Papers are the publications that Kernel.Source and the figures cite by key. They cite other
// publications in full.
var Papers = []Paper{
	{
		Key: "coo-spmv-final", Title: "Untitled report on the sparse matrix-vector product in COO, from atomics to " +
			"prefix sums",
		Where: "course report, which continues coo-spmv-first", Year: 2025,
	},
	{
		Key: "coo-spmv-first", Title: "Deliverable report (sparse matrix-vector product in COO)",
		Authors: "Matteo Di Noia",
		Where:   "GPU Computing course report; program: github.com, matteo.dinoia/GPU-Computing-2025-258426",
		Year:    2025,
	},
	{
		Key: "csr-bins-and-hybrid", Title: "Deliverable report (bins of coalesced rows and a hybrid product in CSR)",
		Authors: "Alberto Messa",
		Where:   "GPU Computing course report; program: github.com/MessaAlberto/GPU-Computing-2025-258855", Year: 2025,
	},
	{
		Key: "csr-five-algorithms", Title: "Sparse Matrix Vector Multiplication on GPUs: Implementation and " +
			"analysis of five algorithms",
		Authors: "Pooja Hiranandani", Where: "course project, New York University", Year: 2018,
	},
	{
		Key: "csr-shuffle-and-shared", Title: "Deliverable report 2 (shuffles and a tile of x in shared memory in CSR)",
		Authors: "Diego Oniarti",
		Where:   "GPU Computing course report; program: github.com/diego-oniarti/GPU-Computing-2025-257835", Year: 2025,
	},
}

// Cited returns the papers that a source, of a kernel or a figure, cites by key.
func Cited(source string) []Paper {
	var cited []Paper
	for _, p := range Papers {
		if strings.Contains(source, p.Key) {
			cited = append(cited, p)
		}
	}
	return cited
}
