package matrix

import (
	"fmt"
	"io"

	"spmvtune/internal/base/term"
	"spmvtune/kernels"
	"spmvtune/sparse"
)

// A formatSize is the memory of a matrix in a format of the catalogue, in bytes.
type formatSize struct {
	Format string `json:"format"`
	// Chunk is the number of rows in a chunk of SELL.
	Chunk int `json:"chunk,omitempty"`
	// Sigma is the number of rows of SELL that are sorted together.
	Sigma int `json:"sigma,omitempty"`
	// Entries include padding.
	Entries int   `json:"entries"`
	Float32 int64 `json:"float32"`
	Float64 int64 `json:"float64"`
	name    string
	format  kernels.Format
}

// sellChunk is the height of the chunks of the SELL formats shown, the width of a warp. They are
// unsorted, and sorted as the kernels do by default.
const sellChunk = 32

var sellSigmas = []int{1, 1024}

// formatSizes computes the sizes without building anything: the arrays of 32-bit indices and of
// values; for SELL also padding, the order of rows and the 64-bit offsets of chunks.
func formatSizes(a *sparse.CSR[float64]) ([]formatSize, error) {
	rows, n := int64(a.Rows), int64(a.NNZ())
	of := func(name string, format kernels.Format, indices, values int64) formatSize {
		return formatSize{
			Format: string(format), Entries: int(values), name: name, format: format,
			Float32: 4*indices + 4*values, Float64: 4*indices + 8*values,
		}
	}

	list := []formatSize{of("COO", kernels.COO, 2*n, n), of("CSR", kernels.CSR, n+rows+1, n)}
	for _, sigma := range sellSigmas {
		entries, err := sparse.SELLEntries(a, sellChunk, sigma)
		if err != nil {
			return nil, err
		}
		chunks := (rows + sellChunk - 1) / sellChunk
		s := of(fmt.Sprintf("SELL-%d-%d", sellChunk, sigma), kernels.SELL, int64(entries)+rows+2*(chunks+1),
			int64(entries))
		s.Chunk, s.Sigma = sellChunk, sigma
		list = append(list, s)
	}

	return list, nil
}

// printFormats prints a line for each format, with its size as a share of COO's.
func printFormats(w io.Writer, list []formatSize) {
	fmt.Fprintf(w, "%-13s%10s  of COO%12s  of COO   padding\n", "memory", "float32", "float64")
	coo := list[0]
	of := func(n, coo int64) string {
		if coo == 0 {
			return ""
		}
		return term.Digits(100*float64(n)/float64(coo)) + "%"
	}

	for _, s := range list {
		padding := ""
		if s.Chunk > 0 && coo.Entries > 0 {
			padding = term.Digits(100*float64(s.Entries-coo.Entries)/float64(coo.Entries)) + "% of nonzeros"
		}
		fmt.Fprintf(w, "%-13s%10s  %6s%12s  %6s   %s\n", s.name, term.Bytes(s.Float32), of(s.Float32, coo.Float32),
			term.Bytes(s.Float64), of(s.Float64, coo.Float64), padding)
	}
}
