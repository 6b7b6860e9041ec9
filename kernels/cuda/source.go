package cuda

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"

	"spmvtune/internal/base/gosource"
	"spmvtune/kernels"
	"spmvtune/sparse"
	"spmvtune/sparse/reorder"
)

// recipeFiles have the recipes and all that they use of this package.
//
//go:embed recipe*.go packing.go
var recipeFiles embed.FS

// recipeSources are the packages that preparing uses. TestSourceIsWhole says what is missing.
var recipeSources = []gosource.Package{
	{Path: "spmvtune/kernels/cuda", Files: recipeFiles},
	{Path: "spmvtune/sparse", Files: sparse.Source},
	{Path: "spmvtune/sparse/reorder", Files: reorder.Source},
}

// recipeCode reads recipeSources once.
var recipeCode = sync.OnceValues(func() (*gosource.Program, error) { return gosource.Parse(recipeSources...) })

// Source returns a SHA-256, in hexadecimal, over the PTX that has entries of a kernel and over
// the code of its recipe and of all that prepares the matrix for it; "" for a kernel that has no
// recipe here. Comments and layout do not count.
func Source(kernel string) string {
	code, err := recipeCode()
	if err != nil { // a file that compiles can be parsed
		return ""
	}
	row := preparing(code, kernel)
	if row == "" {
		return ""
	}

	h := sha256.New()
	fmt.Fprint(h, row)
	for _, c := range kernelFiles(kernel) {
		fmt.Fprintf(h, "%s %d\n%s", c.file, len(c.text), c.text)
	}

	return hex.EncodeToString(h.Sum(nil))
}

// preparing is the code that makes the recipe of a kernel. Ordering rows is a part of it where
// the kernel has the choice.
func preparing(code *gosource.Program, kernel string) string {
	if k, _ := kernels.Lookup(kernel); k.Orders() {
		return code.Row("recipes", kernel, "newRecipe")
	}
	return code.Row("recipes", kernel)
}

// kernelFiles are the PTX that has entries of a kernel, for every architecture, sorted.
func kernelFiles(kernel string) []*compiled {
	var files []*compiled
	for entry, having := range entryFiles() {
		if kernelOf(entry) == kernel {
			files = append(files, having...)
		}
	}
	slices.SortFunc(files, func(a, b *compiled) int { return strings.Compare(a.file, b.file) })
	return slices.Compact(files)
}

// kernelOf returns the kernel that an entry belongs to: the one with the longest name that
// the entry's name begins with; "" if there is none.
func kernelOf(entry string) string {
	longest := ""
	for kernel := range recipes {
		if len(kernel) > len(longest) && strings.HasPrefix(entry, kernel) {
			longest = kernel
		}
	}
	return longest
}
