package cpu

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"sync"

	"spmvtune/internal/base/gosource"
	"spmvtune/sparse"
	"spmvtune/sparse/reorder"
)

//go:embed span.go pool.go csr.go coo.go sell.go reorder.go
var sourceFiles embed.FS

// sources has the function that plans each kernel. All kernels can have the matrix in another order,
// so the result and the speed of each depend on planOrdered as well.
var sources = map[string]string{
	"cpu_coo": "planCOO", "cpu_coo_chunks": "planCOOChunks",
	"cpu_csr": "planCSR", "cpu_csr_rows": "planCSRRows", "cpu_csr_merge": "planMerge",
	"cpu_sell": "planSELL",
}

// sourceCode is the code of kernels and of the packages that prepare the matrix for them, of which
// kernels count what they use.
var sourceCode = sync.OnceValues(func() (*gosource.Program, error) {
	return gosource.Parse(
		gosource.Package{Path: "spmvtune/kernels/cpu", Files: sourceFiles},
		gosource.Package{Path: "spmvtune/sparse", Files: sparse.Source},
		gosource.Package{Path: "spmvtune/sparse/reorder", Files: reorder.Source})
})

// Source returns the digest of a kernel's code, be it this package's or one of the sweep's own.
func (b *Backend) Source(kernel string) string {
	if o, ok := b.Custom(kernel); ok {
		return b.CustomSource(o)
	}
	return Source(kernel)
}

// Source returns a SHA-256, in hexadecimal, over the code of a kernel and of what prepares the matrix
// for it, without comments and layout, wherever it stands; "" for a kernel that is not this package's.
// Device.Driver names the compiler.
func Source(kernel string) string {
	plan, ok := sources[kernel]
	code, err := sourceCode()
	if !ok || err != nil { // a file that compiles can be parsed
		return ""
	}
	sum := sha256.Sum256([]byte(code.Functions(plan, "planOrdered")))
	return hex.EncodeToString(sum[:])
}
