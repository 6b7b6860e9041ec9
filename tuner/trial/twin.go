package trial

import (
	"regexp"
	"strconv"
	"strings"
)

// legacyTwin matches a generator of twins with its arguments, as in
// "twin(of=webbase-1M, scale=0.2, seed=1)".
var legacyTwin = regexp.MustCompile(`^twin\((?:.*, )?of=([^,)]+)(?:.*, scale=([^,)]+))?`)

// LegacyTwin returns which published matrix a twin stands for, and its scale, as its
// source says: TwinOf and TwinScale of a matrix that was recorded before there were such
// fields. Of a matrix that is no twin it returns "". Nothing else reads this from a
// source.
func LegacyTwin(source string) (of string, scale float64) {
	generator := source
	if rest, is := strings.CutPrefix(source, "twin of "); is {
		var id string
		id, generator, is = strings.Cut(rest, ": ")
		if !is {
			return "", 0
		}
		of = id[strings.LastIndex(id, "/")+1:]
		scale = 1
	}

	if m := legacyTwin.FindStringSubmatch(generator); m != nil {
		if of == "" {
			of = m[1]
		}
		scale = 1
		if s, err := strconv.ParseFloat(m[2], 64); err == nil {
			scale = s
		}
	}

	return of, scale
}
