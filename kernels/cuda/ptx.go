package cuda

import (
	"bytes"
	"compress/gzip"
	"embed"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
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
}

// The least compute capability of any device, times 10: the first that adds float64 atomically.
const leastCompute = 60

// An entry point in PTX, as nvcc writes it.
var entryLine = regexp.MustCompile(`(?m)^\.visible \.entry (\w+)\(`)

// entryFiles gives the PTX that has an entry, by the entry's name with its suffix, the one for the
// newest devices last.
var entryFiles = sync.OnceValue(func() map[string][]*compiled {
	names, err := fs.Glob(ptxFiles, "ptx/*.ptx.gz")
	if err != nil { // the pattern is well-formed
		return nil
	}
	files := map[string][]*compiled{}
	for _, name := range names {
		c, err := decompress(name)
		if err != nil { // embedded
			continue
		}
		for _, m := range entryLine.FindAllStringSubmatch(c.text, -1) {
			files[m[1]] = append(files[m[1]], c)
		}
	}
	for _, f := range files {
		slices.SortFunc(f, func(a, b *compiled) int { return a.compute - b.compute })
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

	c := &compiled{file: strings.TrimSuffix(name, ".gz"), text: string(text), compute: leastCompute}
	source, target, found := strings.Cut(strings.TrimSuffix(path.Base(c.file), ".ptx"), ".sm")
	if c.source = source; found {
		c.compute, err = strconv.Atoi(target)
	}
	return c, err
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
