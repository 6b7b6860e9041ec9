package rule

import (
	"bytes"
	_ "embed"
	"maps"
	"slices"
	"strings"
)

// h100 was learned from a database of an earlier configs/corpus.toml, without an ensemble.
//
//go:embed h100.json
var h100 []byte

// h200 was learned from configs/corpus.toml and real matrices, by
// `spmvtune learn rule/h200-data.json.gz -o rule/h200.json`.
//
//go:embed h200.json
var h200 []byte

const (
	// EmbeddedName is the name of the rule that is taken where none is named.
	EmbeddedName = "h100"
	// BoostedName is the name of the one that is taken where an ensemble is asked for.
	BoostedName = "h200"
)

// embedded are the rules that come with the program, by name.
var embedded = map[string][]byte{EmbeddedName: h100, BoostedName: h200}

// IsEmbedded reports whether a rule of this name comes with the program.
func IsEmbedded(name string) bool { return embedded[name] != nil }

// EmbeddedNames lists the rules that come with the program: "h100 or h200".
func EmbeddedNames() string { return strings.Join(slices.Sorted(maps.Keys(embedded)), " or ") }

// Embedded returns the rule that is taken where none is named: learned on an H100, with warm
// caches, from an earlier sweep corpus but for the classes of its final test.
func Embedded() (*Rule, error) { return Read(bytes.NewReader(h100)) }
