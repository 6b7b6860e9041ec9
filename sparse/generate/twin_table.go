package generate

import (
	_ "embed"

	"github.com/BurntSushi/toml"
)

// A twin has the published facts about a matrix and the way to imitate it; one that another generator makes
// has none but its class (see imitations). Sizes, lengths and
// the statistics that the patterns are fitted to are those of the SuiteSparse Matrix Collection
// and of published feature tables; a deviation or a bound of lengths marked as not published is
// that of a relative, or of the class.
type twin struct {
	Name, Class     string
	Rows, Cols, NNZ int
	Symmetric       bool
	Binary          bool // values are 1

	Law        law     // of row lengths
	Longest    int     // of a symmetric twin: one row is longer than the law's
	Widen      float64 // of a symmetric twin: on the law's deviation, against what mirroring adds or smooths away; 0: 1
	Stretch    int     // rows of a length that lie together; 0: lengths rise and fall slowly
	Hills      int     // how often they do
	Hub        int     // rows with an entry in the first column
	HubStretch int     `toml:"hub_stretch"` // rows that lie together and have it or not
	Pattern    pattern
	Local      *form // where the original's locality is known better than by pattern; nil: there is one form
}

// A form is what differs between the two forms of a twin.
type form struct {
	Law     law // zero: the twin's
	Longest int // with law
	Pattern pattern
}

//go:embed twins.toml
var twinsTOML string

// twins is the table of all twins, by name.
var twins = func() []twin {
	var table struct{ Twin []twin }
	if _, err := toml.Decode(twinsTOML, &table); err != nil {
		panic("twins.toml: " + err.Error()) // embedded; every test reads it
	}
	return table.Twin
}()
