// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"crypto/sha256"
	"embed"
	"fmt"
	"strings"
	"sync"

	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/sparse/reorder"
)

// planKernel plans the kernel k on the matrix as o has it.
func planKernel[V sparse.Float](b *Backend, o *operand[V], k kernels.Kernel, c kernels.Config) (plan, error) {
	switch c.Kernel {
	case "cpu_coo":
		return planCOO(b, o), nil
	case "cpu_csr":
		return planCSR(o), nil
	case "cpu_coo_chunks":
		return planCOOChunks(b, o, c), nil
	case "cpu_csr_rows":
		return planCSRRows(b, o, c), nil
	case "cpu_csr_merge":
		return planMerge(b, o, c), nil
	case "cpu_sell":
		return planSELL(b, o, k, c)
	default:
		return plan{}, fmt.Errorf("%s is in the catalogue, and planKernel has no case for it", c.Kernel)
	}
}

// sources has the function that plans each kernel. All kernels can have the matrix in another order,
// so the result and the speed of each depend on planOrdered as well.
var sources = map[string]string{
	"cpu_coo": "planCOO", "cpu_coo_chunks": "planCOOChunks",
	"cpu_csr": "planCSR", "cpu_csr_rows": "planCSRRows", "cpu_csr_merge": "planMerge",
	"cpu_sell": "planSELL",
}

// sourceFiles have all code of kernels, but not of what runs and times them.
//
//go:embed span.go pool.go csr.go coo.go sell.go reorder.go
var sourceFiles embed.FS

// sourceCode is the code of kernels and of the packages that prepare the matrix for them, of which
// kernels count what they use.
var sourceCode = sync.OnceValues(func() (*program, error) {
	return parseSource(
		sourcePackage{Path: "example.org/spmvtune/kernels/cpu", Files: sourceFiles},
		sourcePackage{Path: "example.org/spmvtune/sparse", Files: sparse.Source},
		sourcePackage{Path: "example.org/spmvtune/sparse/reorder", Files: reorder.Source})
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
	return fmt.Sprintf("%x", sha256.Sum256([]byte(code.functions(plan, "planOrdered"))))
}

// Text is the source of a kernel and of what it uses, each declaration once, after what it computes.
func Text(k kernels.Kernel) (string, error) {
	code, err := sourceCode()
	if err != nil {
		return "", err
	}
	text := k.Head() + "// It plans a product and returns what computes it; block and grid are c's. What else it needs is in those packages.\n\n"
	for _, d := range code.used([]name{{code.main, sources[k.Name]}}) {
		if !strings.Contains(text, d.text) { // a group of constants has several names
			text += d.text
		}
	}
	return text, nil
}
