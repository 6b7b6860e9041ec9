// SPDX-License-Identifier: Apache-2.0

package cuda

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"example.org/spmvtune/internal/base/panics"
	"example.org/spmvtune/kernels"
)

// ptxFiles are the compiled kernels. NAME.ptx.gz is NAME.cu for any device, and
// NAME.sm80.ptx.gz the same for compute capability 8.0 and newer.
//
//go:embed ptx/*.ptx.gz
var ptxFiles embed.FS

// A compiled is the PTX of a source for an architecture.
type compiled struct {
	source  string // without ending
	file    string // without the ending of the compression
	compute int    // least compute capability of the device, times 10
	text    string
	entries [][]string // of the text, as entryLine finds them
}

// The least compute capability of any device, times 10: the first that adds float64 atomically.
const leastCompute = 60

// An entry point in PTX, as nvcc writes it.
var entryLine = regexp.MustCompile(`(?m)^\.visible \.entry (\w+)\(`)

// entryFiles gives the PTX that has an entry, by the entry's name with its suffix, the one for the
// newest devices last.
var entryFiles = sync.OnceValue(func() map[string][]*compiled {
	names, _ := fs.Glob(ptxFiles, "ptx/*.ptx.gz") // the pattern is well-formed
	all := make([]*compiled, len(names))
	err := panics.Each(context.Background(), len(names), func(i int) (err error) {
		all[i], err = decompress(names[i])
		return err
	})
	if err != nil { // they are embedded
		return nil
	}
	slices.SortFunc(all, func(a, b *compiled) int { return a.compute - b.compute })
	files := map[string][]*compiled{}
	for _, c := range all {
		for _, m := range c.entries {
			files[m[1]] = append(files[m[1]], c)
		}
	}
	return files
})

// decompress reads a file of ptxFiles.
func decompress(name string) (*compiled, error) {
	data, err := ptxFiles.ReadFile(name)
	if err != nil {
		return nil, err
	}
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}

	c := &compiled{file: strings.TrimSuffix(name, ".gz"), text: string(text), compute: leastCompute,
		entries: entryLine.FindAllStringSubmatch(string(text), -1)}
	source, target, found := strings.Cut(strings.TrimSuffix(path.Base(c.file), ".ptx"), ".sm")
	if c.source = source; found {
		c.compute, err = strconv.Atoi(target)
	}
	return c, err
}

// only returns the PTX of one of its entries, whose machine code is the same as beside the others: none uses another.
// One compiles in an eighth of the time of all of csr_narrow's.
func (c *compiled) only(entry string) string {
	const begin = "\n.visible .entry "
	_, rest, _ := strings.Cut(c.text, begin+entry+"(")
	body, _, _ := strings.Cut(rest, begin)
	return c.text[:strings.Index(c.text, begin)] + begin + entry + "(" + body
}

// newest returns the last of files that a device of this compute capability, times 10, takes; nil if
// there is none.
func newest(files []*compiled, compute int) *compiled {
	for _, c := range slices.Backward(files) {
		if c.compute <= compute {
			return c
		}
	}
	return nil
}

// Mark is the entry whose launch stands before the products of each trial that a profiler counts.
const Mark = "gate"

// Entry returns the name of the PTX entry that is launched with the block and the grid of a
// configuration, on a matrix with these numbers of rows and nonzeros. Profilers call launches
// by this name. If a kernel launches several entries, it is the one that reads the matrix's
// values; of csr_narrow, csr_segscan and sell_blocks, that of few nonzeros in narrow columns. It is "" for a kernel of another
// backend or of a library, and for a configuration that can't run.
func Entry(c kernels.Config, rows, nonzeros int) string {
	newRecipe, ok := recipes[c.Kernel]
	if !ok {
		return ""
	}

	// A name depends on a row's mean length, and on what this row lacks: many nonzeros, and columns far apart.
	r, err := newRecipe(oneRow((2*nonzeros+rows)/max(2*rows, 1)), c, c.Precision.Bytes())
	if err != nil {
		return ""
	}
	i := max(0, slices.IndexFunc(r.Steps, readsValues))
	return r.Steps[i].Entry + suffix(c.Precision.Bytes())
}

// readsValues reports whether a step has the matrix's values, in whatever order.
func readsValues(s step) bool {
	return slices.ContainsFunc(s.Args, func(g arg) bool { return g.array == val || g.own != nil && g.own.Vals != nil })
}

// oneRow is a matrix of one row with this many nonzeros.
func oneRow(nonzeros int) *structure {
	return &structure{Rows: 1, Cols: nonzeros, RowPtr: []int32{0, int32(nonzeros)}, ColIdx: counted(nonzeros, 0),
		Val: make([]float64, nonzeros)}
}

// suffix is the ending of an entry's name for values of v bytes.
func suffix(v int) string {
	if v == 4 {
		return "_f32"
	}
	return "_f64"
}

// Fact returns a fact about the launch of an entry, as Entry names it, from the facts of a
// product; name is "registers" or the like.
func Fact(facts map[string]float64, name, entry string) (v float64, noted bool) {
	plain := entry[:max(0, strings.LastIndexByte(entry, '_'))] // without the precision
	if v, noted = facts[name+":"+plain]; !noted {
		v, noted = facts[name]
	}
	return v, noted
}

// layouts numbers what recipes pack and launch, where that has changed since the first number, 0. TestLayouts
// says when to raise a kernel's.
var layouts = map[string]int{"csr_narrow": 1, "csr_segscan": 1}

// Source returns a SHA-256, in hexadecimal, over the PTX that has entries of a kernel and the number of its
// layout; "" for a kernel that has no recipe here.
func Source(kernel string) string { return digests()[kernel] }

// digests are those of all kernels.
var digests = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for kernel := range recipes {
		h := sha256.New()
		fmt.Fprintln(h, kernel, layouts[kernel])
		for _, c := range kernelFiles()[kernel] {
			fmt.Fprintf(h, "%s %d\n%s", c.file, len(c.text), c.text)
		}
		all[kernel] = fmt.Sprintf("%x", h.Sum(nil))
	}
	return all
})

// kernelFiles gives the PTX that has entries of a kernel, for every architecture, sorted.
var kernelFiles = sync.OnceValue(func() map[string][]*compiled {
	files := map[string][]*compiled{}
	for entry, having := range entryFiles() {
		kernel := kernelOf(entry)
		files[kernel] = append(files[kernel], having...)
	}
	for kernel, of := range files {
		slices.SortFunc(of, func(a, b *compiled) int { return strings.Compare(a.file, b.file) })
		files[kernel] = slices.Compact(of)
	}
	return files
})

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
