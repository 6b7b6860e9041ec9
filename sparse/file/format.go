package file

import (
	"slices"

	"spmvtune/sparse/internal/text"
	"spmvtune/sparse/mtx"
	"spmvtune/sparse/rb"
	"spmvtune/sparse/snap"
)

// A format is one that matrices are read from.
type format struct {
	extensions []string // the first one is that of a member of an archive
	starts     func(start []byte) bool
	parse      func(*text.Source, Options) (*Matrix, error)
	parseSize  func(*text.Source, Options) (Size, error)
}

// formats has the one first that a file is taken for that could be any.
var formats = []format{
	{[]string{mtx.Extension, ".mm"}, mtx.Starts, mtx.Parse, mtx.ParseSize},
	{[]string{rb.Extension, ".hb"}, rb.Starts, rb.Parse, rb.ParseSize},
	{[]string{snap.Extension}, snap.Starts, snap.Parse, snap.ParseSize},
}

// members are the extensions of matrices in archives.
var members = func() (all []string) {
	for _, f := range formats {
		all = append(all, f.extensions[0])
	}
	return all
}()

// formatOf tells the format of a text by its first bytes or else by its extension.
func formatOf(s *text.Source) format {
	for _, f := range formats {
		if f.starts(s.Peek()) {
			return f
		}
	}
	for _, f := range formats {
		if slices.Contains(f.extensions, s.Extension) {
			return f
		}
	}
	return formats[0]
}
