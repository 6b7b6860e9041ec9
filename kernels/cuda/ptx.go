package cuda

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"sync"
)

// The compiled kernels, and the recipes that launch them.
//
//go:embed ptx/*.ptx recipe*.go
var sourceFiles embed.FS

// An entry point in PTX, as nvcc writes it.
var entryLine = regexp.MustCompile(`(?m)^\.visible \.entry (\w+)\(`)

// entryFiles tells which file of ptx/ has an entry, by name with suffix.
var entryFiles = sync.OnceValue(func() map[string]string {
	names, err := fs.Glob(sourceFiles, "ptx/*.ptx")
	if err != nil { // the pattern is well-formed
		return nil
	}
	files := map[string]string{}
	for _, name := range names {
		text, err := sourceFiles.ReadFile(name)
		if err != nil { // embedded
			continue
		}
		for _, m := range entryLine.FindAllSubmatch(text, -1) {
			files[string(m[1])] = name
		}
	}
	return files
})

// module returns the PTX that has an entry, such as "coo_atomic_f32", and the
// name of its file without folder and ending. It tells no entry by false.
func module(entry string) (name, text string, ok bool) {
	file, ok := entryFiles()[entry]
	if !ok {
		return "", "", false
	}
	ptx, err := sourceFiles.ReadFile(file)
	return moduleName(file), string(ptx), err == nil
}

func moduleName(file string) string {
	base := path.Base(file)
	return base[:len(base)-len(path.Ext(base))]
}

// Source returns a SHA-256, in hexadecimal, over the PTX and the recipes of the
// family that a kernel belongs to; "" for a kernel that has no recipe here.
func Source(kernel string) string {
	f, ok := familyOf(kernel)
	if !ok {
		return ""
	}
	h := sha256.New()
	for _, name := range f.files() {
		text, err := sourceFiles.ReadFile(name)
		if err != nil { // the test of families excludes it
			return ""
		}
		fmt.Fprintf(h, "%s %d\n%s", name, len(text), text)
	}
	return hex.EncodeToString(h.Sum(nil))
}
