package kernels

import "strings"

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
