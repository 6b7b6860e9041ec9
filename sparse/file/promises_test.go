// SPDX-License-Identifier: Apache-2.0

package file

import (
	"runtime"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
)

// What is read from a file is kept under the readers' versions: a reader that gives something
// else needs another one.
func TestVersion(t *testing.T) {
	testkit.Equal(t, Version, "2,2,1,1", "write down here what the readers of these versions give")
	const banner = "%%MatrixMarket matrix coordinate "
	for content, want := range map[string]string{
		banner + "real general\n3 4 5\n1 1 0.1\n3 4 -2.5e-300\n2 2 1e400\n2 2 1\n1 4 0\n": "d1ac0b45b6c1",
		banner + "integer symmetric\n3 3 3\n1 1 2\n2 1 -1\n3 2 9007199254740993\n":        "54cca82f0707",
		banner + "pattern general\n2 3 2\n2 1\n1 3\n":                                     "9ab8163e26a4",
		banner + "real skew-symmetric\n2 2 1\n2 1 7\n":                                    "97795f9f9020",
		banner + "complex hermitian\n2 2 2\n1 1 1 0\n2 1 3 4\n":                           "7dd5b2d502c0",

		"title\n3 1 1 1\nrua 3 3 4 0\n(4I1) (4I1) (4F4.1)\n1345\n1233\n 1.5-2.5-3.5  45\n":                     "27959fb8bef9",
		"title\n3 1 1 1\nrza 2 2 2 0\n(3I2) (3I2) (1P,3F4.0)\n 1 3 3\n 2 2\n  3.  4.\n":                        "9b39136b6087",
		"title\n4 1 1 2\ncha 2 2 3 0\n(3I2) (3I2) (3E5.0)\n 1 3 4\n 1 2 1\n 1.E1  -1.  2.0\n     3.d-2  -3.\n": "f6f6cc23d828",
		"title\n2 1 1 0\npsa 2 2 2 0\n(3I2) (3I2)\n 1 3 3\n 1 2\n":                                             "d9303be8c110",

		"# FromNodeId\n5 9\n9 5\n5 9\n7 7\n":                            "10780fffc055",
		"# FromNodeId\n9223372036854775807 0 0.1\n0 0 -2.5e-300\n0 0 1": "71fe44038b05",
	} {
		m := testkit.Must(Decode(strings.NewReader(content), "f", Options{Expand: true, Complex: RealPart}))
		if got := m.A.Hash(); !strings.HasPrefix(got, want) {
			t.Errorf("other content than before for %q: change the format's Version (%s)", content, got[:12])
		}
	}
}

// A header or a comment may promise anything; memory is given for data only.
func TestHeadersAllocateNothing(t *testing.T) {
	for _, content := range []string{
		"%%MatrixMarket matrix coordinate real symmetric\n2000000000 2000000000 2000000000\n1 1 1\n",
		"%%MatrixMarket matrix array real general\n2000000000 1\n1\n",
		"title\n9 250000000 250000000 500000000\nrua 2000000000 1999999999 2000000000 0\n(8I10) (8I10) (4F4.0)\n" +
			"         1         2\n",
		"title\n9 1 4000 500000000\nrua 2000000000 1 2000000000 0\n(2I10) (500000I1) (4F4.0)\n         12000000001\n" +
			strings.Repeat("\n", 5000),
		"# Nodes: 2000000000 Edges: 2000000000\n1 9223372036854775807\n",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Decode(strings.NewReader(content), "f", DefaultOptions)
		runtime.ReadMemStats(&after)
		got := after.TotalAlloc - before.TotalAlloc
		testkit.Check(t, err != nil && got <= 16<<20, "%d MB allocated for %d bytes, %v", got>>20, len(content), err)
	}
}

// Lines without entries take no memory, however many.
func TestBlankLinesTakeNoMemory(t *testing.T) {
	content := "%%MatrixMarket matrix coordinate real general\n1 1 1\n" + strings.Repeat("\n", 32<<20) + "1 1 1\n"
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	testkit.Must(Decode(strings.NewReader(content), "f", DefaultOptions))
	runtime.ReadMemStats(&after)
	most := uint64(4*blockSize*runtime.GOMAXPROCS(0) + 16<<20) // a list of entries to each core
	testkit.Check(t, after.TotalAlloc-before.TotalAlloc <= most, "%d MB", (after.TotalAlloc-before.TotalAlloc)>>20)
}
