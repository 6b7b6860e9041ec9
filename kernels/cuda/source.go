package cuda

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"spmvtune/internal/gosource"
)

// recipeFiles have the recipes and all that they use of this package.
//
//go:embed recipe*.go packing.go
var recipeFiles embed.FS

// recipeCode reads recipeFiles once.
var recipeCode = sync.OnceValues(func() (*gosource.Program, error) {
	names, err := fs.Glob(recipeFiles, "*.go")
	if err != nil {
		return nil, err
	}
	var files [][]byte
	for _, name := range names {
		text, err := recipeFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files = append(files, text)
	}
	return gosource.Parse(files...)
})

// Source returns a SHA-256, in hexadecimal, over the PTX that has entries of a
// kernel and over the code of its recipe; "" for a kernel that has no recipe here. The
// comments and the layout of the recipe do not count.
func Source(kernel string) string {
	code, err := recipeCode()
	if err != nil { // a file that compiles can be parsed
		return ""
	}
	row := code.Row("recipes", kernel)
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
