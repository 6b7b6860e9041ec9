package rule

import (
	"bytes"
	_ "embed"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// h100 was learned from a database of an earlier configs/corpus.toml, without an ensemble.
//
//go:embed h100.json
var h100 []byte

// h200 was learned from configs/corpus.toml, real matrices and those of the folder strangers, by
// `spmvtune learn rule/h200-data.json.gz rule/h200-strangers.json.gz -o rule/h200.json`.
//
//go:embed h200.json
var h200 []byte

// EmbeddedName is the name of the rule with the newest data. It is taken where no other one is known to be
// nearer to a device, and where an ensemble is asked for.
const EmbeddedName = "h200"

// embedded are the rules that come with the program, by name: search.Rules has the same ones.
var embedded = map[string][]byte{"h100": h100, EmbeddedName: h200}

// NameFor is the name of the embedded rule for a device: the one that was learned on that model, or else the newest.
func NameFor(device string) string {
	for _, name := range slices.Sorted(maps.Keys(embedded)) {
		if slices.ContainsFunc(words(device), func(w string) bool { return strings.EqualFold(w, name) }) {
			return name
		}
	}
	return EmbeddedName
}

// words are the parts of a device's name: "NVIDIA H100-80GB" has NVIDIA, H100 and 80GB.
func words(device string) []string {
	return strings.FieldsFunc(device, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// IsEmbedded reports whether a rule of this name comes with the program.
func IsEmbedded(name string) bool { return embedded[name] != nil }

// EmbeddedNames lists the rules that come with the program: "h100 or h200".
func EmbeddedNames() string { return strings.Join(slices.Sorted(maps.Keys(embedded)), " or ") }

// Embedded returns the newest of them: learned on an H200, with warm caches, from the sweep corpus, real
// matrices and strangers, but for the classes of its final test.
func Embedded() (*Rule, error) { return Read(bytes.NewReader(h200)) }
