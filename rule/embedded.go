package rule

import (
	"bytes"
	_ "embed"
)

// h100 is refreshed from a database of configs/corpus.toml by
// `spmvtune learn DB --ensemble=false -o rule/h100.json`.
//
//go:embed h100.json
var h100 []byte

// EmbeddedName is the name of the rule that comes with the program.
const EmbeddedName = "h100"

// Embedded returns the rule that comes with the program: learned on an H100, with warm
// caches, from the sweep corpus but for the classes of its final test.
func Embedded() (*Rule, error) { return Read(bytes.NewReader(h100)) }
