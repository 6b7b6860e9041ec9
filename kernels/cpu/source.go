package cpu

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"sync"

	"spmvtune/internal/base/gosource"
	"spmvtune/sparse"
	"spmvtune/sparse/reorder"
)

//go:embed span.go pool.go signal.go share.go csr.go merge.go coo.go coochunks.go sell.go sellchunk.go reorder.go
var sourceFiles embed.FS

// sources lists the files that the result and the speed of a kernel depend on. All kernels can have
// the matrix in another order, which reorder.go makes.
var sources = map[string][]string{
	"cpu_coo":        {"span.go", "coo.go", "reorder.go"},
	"cpu_csr":        {"span.go", "csr.go", "reorder.go"},
	"cpu_coo_chunks": {"span.go", "coo.go", "coochunks.go", "pool.go", "signal.go", "share.go", "reorder.go"},
	"cpu_csr_rows":   {"span.go", "csr.go", "pool.go", "signal.go", "share.go", "reorder.go"},
	"cpu_csr_merge":  {"span.go", "csr.go", "merge.go", "pool.go", "signal.go", "reorder.go"},
	"cpu_sell":       {"span.go", "sell.go", "sellchunk.go", "pool.go", "signal.go", "share.go", "reorder.go"},
}

// formatCode is the code of package sparse and its orders, of which kernels count what they use.
var formatCode = sync.OnceValues(func() (*gosource.Program, error) {
	return gosource.Parse(
		gosource.Package{Path: "spmvtune/sparse", Files: sparse.Source},
		gosource.Package{Path: "spmvtune/sparse/reorder", Files: reorder.Source})
})

// Source returns the digest of a kernel's code, be it this package's or one of the sweep's own.
func (b *Backend) Source(kernel string) string {
	if o, ok := b.Own(kernel); ok {
		return b.OwnSource(o)
	}
	return Source(kernel)
}

// Source returns a SHA-256, in hexadecimal, over the code of a kernel and of what prepares the matrix
// for it, without comments and layout; "" for a kernel that is not this package's. Device.Driver names
// the compiler.
func Source(kernel string) string {
	files, ok := sources[kernel]
	formats, err := formatCode()
	if !ok || err != nil { // tests of sources exclude all errors
		return ""
	}
	h := sha256.New()

	for _, name := range files {
		text, err := sourceFiles.ReadFile(name)
		if err != nil {
			return ""
		}
		used, err := formats.Used("spmvtune/kernels/cpu", text)
		if err != nil {
			return ""
		}
		fmt.Fprintln(h, name, gosource.Code(text), used)
	}
	return hex.EncodeToString(h.Sum(nil))
}
