package tuner

import (
	"strings"

	"spmvtune/sparse/generate"
)

// A Likeness says which published matrix a twin stands for.
type Likeness struct {
	Of    string  // the matrix's name: "webbase-1M"
	Scale float64 // of its rows, columns and nonzeros; 1: as large
}

// twinSource begins the Source of a matrix that a generator made in place of one that
// can't be downloaded; Group/Name, ": " and the generator follow.
const twinSource = "twin of "

// LikenessOf reads the Source of a matrix. One that is no twin has no likeness.
func LikenessOf(source string) (l Likeness, twin bool) {
	l.Scale = 1
	spec := source
	if rest, ok := strings.CutPrefix(source, twinSource); ok {
		var id string
		if id, spec, ok = strings.Cut(rest, ": "); ok {
			l.Of = id[strings.LastIndex(id, "/")+1:]
		}
	}
	if name, args, err := generate.ParseSpec(spec); err == nil && name == "twin" {
		if of, ok := args["of"].(string); ok && l.Of == "" {
			l.Of = of
		}
		switch scale := args["scale"].(type) {
		case float64:
			l.Scale = scale
		case int64:
			l.Scale = float64(scale)
		}
	}
	return l, l.Of != ""
}
