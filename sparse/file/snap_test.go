// SPDX-License-Identifier: Apache-2.0

package file

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/internal/testing/triplets"
	"example.org/spmvtune/sparse"
)

func decodeSNAP(content string) (*Matrix, error) {
	return decodeAs(snap, strings.NewReader(content), "f", DefaultOptions)
}

func TestSNAPParse(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"of the collection", "# Directed graph\n# Nodes: 3 Edges: 2\n# FromNodeId\tToNodeId\n0\t1\n2\t0\n",
			"0,1=1 2,0=1"},
		{"numbers are compacted in their order", "1000000 7\n7\t30\n", "0,1=1 2,0=1"},
		{"the largest numbers", "9223372036854775808 0\n9223372036854775807 9223372036854775808\n", "1,2=1 2,0=1"},
		{"comments, blank lines and blanks anywhere", "\n # a\n 1 \t 2 \n\n#b\n  2 1\n#c", "0,1=1 1,0=1"},
		{"CR LF, no end of line, byte order mark", "\ufeff5 6\r\n\r\n6 5", "0,1=1 1,0=1"},
		{"zeros in front", "007 0000000000000000000000008\n", "0,1=1"},
		{"loops", "4 4\n5 5\n", "0,0=1 1,1=1"},
		{"duplicates are added up", "1 2\n2 1\n1 2\n", "0,1=2 1,0=1"},
		{"weights", "# s\n1 2 -1\n2 1 0.5\n1 2 3e1\n1 1 inf\n", "0,0=+Inf 0,1=29 1,0=0.5"},
		{"more edges than announced", "# Nodes: 2 Edges: 1\n0 1\n1 0\n", "0,1=1 1,0=1"},
		{"no edges", "# Nodes: 0 Edges: 0\n", ""},
		{"blank", "\n", ""},
	} {
		for _, cores := range []int{1, 3} {
			func() {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
				m, err := decodeSNAP(c.content)
				if err != nil {
					t.Errorf("%s: %v", c.name, err)
					return
				}

				testkit.Succeed(t, m.A.Validate())
				testkit.Equal(t, triplets.Text(m.A, 0), c.want, "%s: entries", c.name)
			}()
		}
	}
}

func TestSNAPParseSaysWhatItRead(t *testing.T) {
	m := testkit.Must(decodeSNAP("# a graph\n#by us\n3 1 nan\n3 1 2\n4 1 1\n# more\n"))
	testkit.Equal(t, m.A.Rows, 3, "rows")
	testkit.Equal(t, m.A.Cols, 3, "columns")

	m.A = nil
	want := Matrix{Format: "edge-list", Field: "real", Symmetry: "general", Comment: " a graph\nby us",
		Declared: 3, Duplicates: 1, NonFinite: 1}
	testkit.Equal(t, *m, want, "it read")

	testkit.Equal(t, testkit.Must(decodeSNAP("1 2\n")).Field, "pattern", "without weights the field")
}

// graph writes an edge list and makes its matrix: vertices are drawn from so many,
// which number gives their numbers.
func graph(tb testing.TB, rng *rand.Rand, vertices, edges int, weighted bool, number func(v int) uint64) (string,
	*sparse.CSR[float64]) {
	tb.Helper()
	var b strings.Builder
	b.WriteString("# a graph\n")
	var from, to []uint64
	var val []float64

	for k := range edges {
		i, j, v := number(rng.IntN(vertices)), number(rng.IntN(vertices)), 1.0
		if rng.IntN(20) == 0 && k > 0 {
			i, j = from[k-1], to[k-1]
		}
		fmt.Fprintf(&b, "%d\t%d", i, j)
		if weighted {
			v = rng.NormFloat64() * 1e3
			fmt.Fprintf(&b, "\t%.17g", v)
		}

		b.WriteByte('\n')
		if rng.IntN(50) == 0 {
			b.WriteString("# comment\n\n")
		}
		from, to, val = append(from, i), append(to, j), append(val, v)
	}

	ids := slices.Concat(from, to)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	rank := func(list []uint64) (out []int32) {
		for _, v := range list {
			k, _ := slices.BinarySearch(ids, v)
			out = append(out, int32(k))
		}
		return out
	}

	m := triplets.CSR(len(ids), len(ids), rank(from), rank(to), val)
	return b.String(), m
}

// However vertices are numbered and however many cores read, the matrix is the one
// that sorting all numbers gives.
func TestSNAPBlocksMakeOneMatrix(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	for name, number := range map[string]func(v int) uint64{
		"dense":   func(v int) uint64 { return uint64(v) },
		"offset":  func(v int) uint64 { return uint64(v) + 1<<40 },
		"sparse":  func(v int) uint64 { return uint64(v) * 900_001 },
		"random":  func(v int) uint64 { return uint64(v+1) * 0x9e3779b97f4a7c15 >> 1 },
		"extreme": func(v int) uint64 { return uint64(v%2) * (largestID - uint64(v)) },
		"one":     func(v int) uint64 { return 77_000_000_000_000 * uint64(v/9_999_999) },
	} {
		for _, vertices := range []int{60, 30_000} {
			for _, weighted := range []bool{false, true} {
				content, want := graph(t, rng, vertices, 120_000, weighted, number)
				for _, cores := range []int{1, 7} {
					func() {
						defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
						m := testkit.Must(decodeSNAP(content))

						testkit.EqualLists(t, []any{m.A.Hash(), m.Declared, m.Duplicates}, []any{want.Hash(), 120_000, 120_000 - want.NNZ()},
							"%s, %d vertices, weighted %v, %d cores", name, vertices, weighted, cores)
					}()
				}
			}
		}
	}
}

func TestSNAPRefuses(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"empty", "", "f:1: the file is empty"},
		{"notes", "Notes on these graphs\n",
			`f:1: "Notes on these graphs": vertex "Notes" is not a whole number from 0 on; an edge is two numbers`},
		{"negative", "1 2\n3 -4\n", `f:2: "3 -4": vertex "-4" is not a whole number from 0 on`},
		{"beyond 2⁶³", "1 9223372036854775809\n",
			`f:1: "1 9223372036854775809": vertex 9223372036854775809 lies outside 0 to 2⁶³`},
		{"beyond 2⁶⁴", "1 2\n116374117927631468606 101765416973555767821\n",
			`vertex 116374117927631468606 lies outside 0 to 2⁶³`},
		{"no second vertex", "1 2\n\n# c\n3\t\n",
			`f:4: "3\t": the line has 1 word; an edge is two numbers of vertices`},
		{"word", "1 2\n3 x\n", `vertex "x" is not a whole number from 0 on`},
		{"fraction", "1 2\n3 4.5\n", `vertex "4.5" is not a whole number from 0 on`},
		{"commas", "1,2,3\n", `vertex "1,2,3" is not a whole number from 0 on; an edge is two numbers of vertices with a blank between`},
		{"weight in one line", "1 2\n3 4 5\n", `f:2: "3 4 5": the line has 3 words; an edge is two numbers`},
		{"no weight in one line", "1 2 3\n3 4\n",
			`f:2: "3 4": the line has 2 words; an edge is two numbers of vertices and a weight`},
		{"weight is a word", "1 2 3\n3 4 x\n", `value "x" is not a number`},
		{"four columns", "1 2 3 4\n", `the line has 4 words; an edge is two numbers of vertices with a blank between, as in the first line; cut -f1,2`},
		{"cut off", "# Nodes: 3 Edges: 5\n1 2\n2 3\n",
			"f:4: the file ends after 2 of 5 edges (line 1): it was cut off, get it again; or take that comment out"},
		{"long line", "1 2\n" + strings.Repeat("1 ", blockSize), "f:2: this line is longer than"},
	} {
		_, err := decodeSNAP(c.content)
		if e := new(Error); !errors.As(err, &e) || e.File != "f" || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v\nwant %s", c.name, err, c.want)
		}
	}
}

// All that is allocated is the matrix, and one working copy of it.
func TestSNAPReadingTakesOneCopy(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 44))
	for _, c := range []struct {
		weighted bool
		working  int // bytes per edge, the numbers' ranks included
	}{{false, 8 + 6 + 4}, {true, 16 + 14 + 4}} {
		content, want := graph(t, rng, 20_000, 400_000, c.weighted, func(v int) uint64 { return uint64(3 * v) })
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		testkit.Must(decodeSNAP(content))

		runtime.ReadMemStats(&after)
		// A core has room for a block, its edges, which grows as it is filled, and a chunk.
		most := (12+c.working)*400_000 + 4*want.Rows + 16*blockSize*runtime.GOMAXPROCS(0) + 1<<20
		got := int(after.TotalAlloc - before.TotalAlloc)
		testkit.Check(t, got <= most, "weighted %v: %d bytes allocated, want at most %d", c.weighted, got, most)
	}
}

// FuzzSNAPParse holds the reader to three promises: it never panics, what it refuses it
// refuses with file and line, and what it reads is a valid matrix of the edges.
func FuzzSNAPParse(f *testing.F) {
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
		m, err := decodeSNAP(file)
		if err != nil {
			testkit.Require(t, strings.HasPrefix(err.Error(), "f:"), "%v does not start with file and line", err)
			return
		}
		testkit.Succeed(t, m.A.Validate())

		if m.A.NNZ()+m.Duplicates != m.Declared || m.A.Rows != m.A.Cols || m.A.Rows > 2*m.Declared {
			t.Fatalf("%v of %d edges and %d duplicates", m.A, m.Declared, m.Duplicates)
		}
	})
}
