package file

import (
	"path/filepath"
	"strings"

	"spmvtune/sparse/internal/text"
)

// Extensions are the endings of the names of matrix files.
var Extensions = func() (all []string) {
	for _, f := range formats {
		for _, ext := range f.extensions {
			all = append(all, ext, ext+".gz")
		}
	}
	return append(all, ".tar.gz", ".tgz")
}()

// NameThatMatters is what reading takes from the name of a file beside its
// content: the extension.
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
