package cuda

import (
	"embed"
	"io/fs"
	"path"
	"regexp"
	"sync"
)

// ptxFiles are the compiled kernels.
//
//go:embed ptx/*.ptx
var ptxFiles embed.FS

// An entry point in PTX, as nvcc writes it.
var entryLine = regexp.MustCompile(`(?m)^\.visible \.entry (\w+)\(`)

// entryFiles gives the file of ptx/ that has an entry, by the entry's name with its suffix.
var entryFiles = sync.OnceValue(func() map[string]string {
	names, err := fs.Glob(ptxFiles, "ptx/*.ptx")
	if err != nil { // the pattern is well-formed
		return nil
	}
	files := map[string]string{}
	for _, name := range names {
		text, err := ptxFiles.ReadFile(name)
		if err != nil { // embedded
			continue
		}
		for _, m := range entryLine.FindAllSubmatch(text, -1) {
			files[string(m[1])] = name
		}
	}
	return files
})

// module returns the PTX that has an entry, such as "coo_atomic_f32", and the name of its file
// without folder and ending. ok is false if there is no such entry.
func module(entry string) (name, text string, ok bool) {
	file, ok := entryFiles()[entry]
	if !ok {
		return "", "", false
	}
	ptx, err := ptxFiles.ReadFile(file)
	return moduleName(file), string(ptx), err == nil
}

func moduleName(file string) string {
	base := path.Base(file)
	return base[:len(base)-len(path.Ext(base))]
}
