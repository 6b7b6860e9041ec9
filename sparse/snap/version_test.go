package snap

import (
	"strings"
	"testing"
)

// What is read from a file is kept under the reader's version: a reader that gives
// something else needs another one.
func TestVersion(t *testing.T) {
	if Format.Version != "1" {
		t.Fatal("write down here what the reader of this version gives")
	}
	for file, want := range map[string]string{
		"# c\n5 9\n9 5\n5 9\n7 7\n":                       "10780fffc055",
		"9223372036854775807 0 0.1\n0 0 -2.5e-300\n0 0 1": "71fe44038b05",
	} {
		m, err := decode(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.A.Hash(); !strings.HasPrefix(got, want) {
			t.Errorf("other content than version %s gave for %q: change Version (%s: %s)", Format.Version, file,
				got[:12], entries(m))
		}
	}
}
