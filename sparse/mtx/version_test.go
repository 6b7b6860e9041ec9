package mtx

import (
	"strings"
	"testing"

	"spmvtune/sparse/internal/text"
)

// What is read from a file is kept under the reader's version: a reader that gives
// something else needs another one.
func TestVersion(t *testing.T) {
	if Format.Version != "2" {
		t.Fatal("write down here what the reader of this version gives")
	}
	for file, want := range map[string]string{
		"real general\n3 4 5\n1 1 0.1\n3 4 -2.5e-300\n2 2 1e400\n2 2 1\n1 4 0\n": "d1ac0b45b6c1",
		"integer symmetric\n3 3 3\n1 1 2\n2 1 -1\n3 2 9007199254740993\n":        "54cca82f0707",
		"pattern general\n2 3 2\n2 1\n1 3\n":                                     "9ab8163e26a4",
		"real skew-symmetric\n2 2 1\n2 1 7\n":                                    "97795f9f9020",
		"complex hermitian\n2 2 2\n1 1 1 0\n2 1 3 4\n":                           "7dd5b2d502c0",
	} {
		m, err := decode(strings.NewReader("%%MatrixMarket matrix coordinate "+file), "test",
			text.Options{Expand: true, Complex: text.RealPart})
		if err != nil {
			t.Fatal(err)
		}

		if got := m.A.Hash(); !strings.HasPrefix(got, want) {
			t.Errorf("other content than version %s gave for %q: change Version (%s)", Format.Version, file, got[:12])
		}
	}
}
