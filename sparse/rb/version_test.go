package rb

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
		small("3 1 1 1", "rua 3 3 4 0", "(4I1) (4I1) (4F4.1)",
			"1345\n1233\n 1.5-2.5-3.5  45\n"): "27959fb8bef9",
		small("3 1 1 1", "rza 2 2 2 0", "(3I2) (3I2) (1P,3F4.0)",
			" 1 3 3\n 2 2\n  3.  4.\n"): "9b39136b6087",
		small("4 1 1 2", "cha 2 2 3 0", "(3I2) (3I2) (3E5.0)",
			" 1 3 4\n 1 2 1\n 1.E1  -1.  2.0\n     3.d-2  -3.\n"): "f6f6cc23d828",
		small("2 1 1 0", "psa 2 2 2 0", "(3I2) (3I2)",
			" 1 3 3\n 1 2\n"): "d9303be8c110",
	} {
		m, err := decode(file, text.Options{Expand: true, Complex: text.RealPart})
		if err != nil {
			t.Fatal(err)
		}
		if got := m.A.Hash(); !strings.HasPrefix(got, want) {
			t.Errorf("other content than version %s gave for %q: change Version (%s: %s)", Format.Version, file,
				got[:12], entries(m))
		}
	}
}
