package snap

import (
	"strings"
	"testing"
)

// FuzzParse holds the reader to three promises: it never panics, what it refuses it
// refuses with file and line, and what it reads is a valid matrix of the edges.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"# Nodes: 3 Edges: 2\n# FromNodeId\tToNodeId\n0\t1\n2\t0\n",
		"9223372036854775808 0\r\n9223372036854775807 9223372036854775808",
		"1 2 -1\n2 1 0.5\n1 2 nan\n",
		"\ufeff5 6\n\n#x\n 6 5 \n",
		"1 2\n3 -4\n", "1,2\n", "1\n", "1 116374117927631468606\n",
	} {
		f.Add(seed)
	}

	f.Fuzz(func(t *testing.T, file string) {
		m, err := decode(file)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Fatalf("%v does not start with file and line", err)
			}
			return
		}
		if err := m.A.Validate(); err != nil {
			t.Fatal(err)
		}

		if m.A.NNZ()+m.Duplicates != m.Declared || m.A.Rows != m.A.Cols || m.A.Rows > 2*m.Declared {
			t.Fatalf("%v of %d edges and %d duplicates", m.A, m.Declared, m.Duplicates)
		}
	})
}
