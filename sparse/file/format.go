package file

import (
	"fmt"
	"slices"
	"strings"

	"spmvtune/sparse/internal/text"
	"spmvtune/sparse/mtx"
	"spmvtune/sparse/npz"
	"spmvtune/sparse/rb"
	"spmvtune/sparse/snap"
)

// formats are all forms of files. A text that could be any of them is read as the first.
var formats = []text.Format{
	mtx.Format,
	rb.Format,
	snap.Format,
	npz.Format,
}

// read are the formats that are read.
var read = slices.DeleteFunc(slices.Clone(formats), func(f text.Format) bool { return f.Parse == nil })

// Version changes whenever the matrix that is read from some file changes, so that a
// matrix that an older program has kept is not mistaken for it.
var Version = func() string {
	var all []string
	for _, f := range read {
		all = append(all, f.Version)
	}
	return strings.Join(all, ",")
}()

// members are the extensions of matrices in archives.
var members = func() (all []string) {
	for _, f := range read {
		all = append(all, f.Extensions[0])
	}
	return all
}()

// formatOf tells the format of a text by its first bytes or else by its extension.
func formatOf(s *text.Source) text.Format {
	for _, f := range read {
		if f.Starts(s.Peek()) {
			return f
		}
	}

	for _, f := range read {
		if slices.Contains(f.Extensions, s.Extension) {
			return f
		}
	}
	return read[0]
}

// Names names the formats that are read, with their extensions: "Matrix Market (.mtx,
// .mm), … or edge list (.txt)".
func Names() string {
	var names []string
	for _, f := range read {
		names = append(names, fmt.Sprintf("%s (%s)", f.Name, strings.Join(f.Extensions, ", ")))
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
