package file

import (
	"path/filepath"
	"slices"
	"strings"

	"spmvtune/sparse/internal/text"
)

// Extensions are the endings of the names of matrix files.
var Extensions = func() (all []string) {
	for _, f := range read {
		for _, ext := range f.Extensions {
			all = append(all, ext, ext+".gz")
		}
	}
	return append(all, ".tar.gz", ".tgz")
}()

// NameThatMatters is the part of a file's name that affects how it is read: the extension.
func NameThatMatters(path string) string { return text.Extension(path) }

// Stem returns the name of a matrix file without folder and extension, and
// whether it has one of Extensions; a name without is returned whole.
func Stem(path string) (name string, known bool) {
	base := filepath.Base(path)
	for _, ext := range Extensions {
		if s, ok := strings.CutSuffix(base, ext); ok && s != "" {
			return s, true
		}
	}
	return base, false
}

// Found reports whether a glob that matches path asks for that file: path has one of
// Extensions, and if files of other kinds have the same extension, the glob ends in it.
func Found(glob, path string) bool {
	_, known := Stem(path)
	ext := NameThatMatters(path)
	return known && (ext == NameThatMatters(glob) || !slices.ContainsFunc(read, func(f text.Format) bool {
		return f.Ambiguous && slices.Contains(f.Extensions, ext)
	}))
}
