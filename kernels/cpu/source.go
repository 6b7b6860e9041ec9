package cpu

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"

	"spmvtune/internal/gosource"
	"spmvtune/sparse"
)

//go:embed span.go pool.go signal.go share.go csr.go merge.go coo.go coochunks.go sell.go sellchunk.go
var sourceFiles embed.FS

// sources lists the files that the result and the speed of a kernel depend on.
var sources = map[string][]string{
	"cpu_coo":        {"span.go", "coo.go"},
	"cpu_csr":        {"span.go", "csr.go"},
	"cpu_coo_chunks": {"span.go", "coo.go", "coochunks.go", "pool.go", "signal.go", "share.go"},
	"cpu_csr_rows":   {"span.go", "csr.go", "pool.go", "signal.go", "share.go"},
	"cpu_csr_merge":  {"span.go", "csr.go", "merge.go", "pool.go", "signal.go"},
	"cpu_sell":       {"span.go", "sell.go", "sellchunk.go", "pool.go", "signal.go", "share.go"},
}

// Source returns a SHA-256, in hexadecimal, over the code of a kernel, without comments and
// layout; "" for a kernel that is not this package's. Device.Driver names the compiler.
func (b *Backend) Source(kernel string) string {
	files, ok := sources[kernel]
	if !ok {
		return ""
	}
	h := sha256.New()

	for _, name := range files {
		text, err := sourceFiles.ReadFile(name)
		if err != nil { // the test of sources excludes it
			return ""
		}
		fmt.Fprintln(h, name, gosource.Code(text))
	}

	if kernel == "cpu_sell" {
		fmt.Fprint(h, sellLayout())
	}
	return hex.EncodeToString(h.Sum(nil))
}

// sellLayout shows how package sparse lays out SELL-C-sigma, on rows of length 1, 3, 0, 2 and
// 3. Its source can't be embedded from here, and a product depends only on its layout.
func sellLayout() string {
	s, err := sparse.NewSELL(&sparse.CSR[float64]{
		Rows: 5, Cols: 4,
		RowPtr: []int32{0, 1, 4, 4, 6, 9},
		ColIdx: []int32{2, 0, 1, 3, 1, 2, 1, 2, 3},
		Val:    []float64{1, 2, 3, 4, 5, 6, 7, 8, 9},
	}, 2, 4, 0)
	return fmt.Sprintf("%+v %v", s, err)
}
