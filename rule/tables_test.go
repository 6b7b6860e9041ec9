package rule

import (
	"bytes"
	"strings"
	"testing"
)

// A table of paying for features rounds products up, and says where they never pay.
func TestTableOfPaybacks(t *testing.T) {
	var b bytes.Buffer
	e := Evaluation{Payback: []Payback{{Nonzeros: 1, Matrices: 7, Products: 0}, {Nonzeros: 10, Matrices: 8, Products: 2.5}}}
	e.tables(&b)
	for matrices, want := range map[string]string{"| 7 |": "| never |", "| 8 |": "| 3 |"} {
		_, row, _ := strings.Cut(b.String(), matrices)
		if row, _, _ = strings.Cut(row, "\n"); !strings.HasSuffix(row, want) {
			t.Errorf("row of %s ends with %q, want %s", matrices, row, want)
		}
	}
}
