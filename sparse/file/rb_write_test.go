// SPDX-License-Identifier: Apache-2.0

package file

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/triplets"
	"example.org/spmvtune/sparse"
)

// An rbSample is what the tests write: columns in any order of rows.
type rbSample struct {
	kind          string // "rua"
	rows, cols    int
	starts        []int // of each column, from 0, and the end
	row           []int // from 0
	val           []float64
	ptr, ind, fmt string // Fortran formats
	number        func(v float64) string
}

// String writes the file.
func (f *rbSample) String() string {
	var b strings.Builder
	pack := func(format string, n int, number func(k int) string) (out string, lines int) {
		c, err := parseFormat(format)
		if err != nil {
			panic(err)
		}
		var s strings.Builder

		for k := range n {
			fmt.Fprintf(&s, "%*s", c.width, number(k))
			if (k+1)%c.perLine == 0 || k == n-1 {
				s.WriteByte('\n')
				lines++
			}
		}

		return s.String(), lines
	}

	ptr, ptrLines := pack(f.ptr, len(f.starts), func(k int) string { return fmt.Sprint(f.starts[k] + 1) })
	ind, indLines := pack(f.ind, len(f.row), func(k int) string { return fmt.Sprint(f.row[k] + 1) })
	val, valLines := "", 0
	if f.val != nil {
		val, valLines = pack(f.fmt, len(f.val), func(k int) string { return f.number(f.val[k]) })
	}

	fmt.Fprintf(&b, "%-72s%8s\n%14d%14d%14d%14d\n", "a matrix of a test", "test", ptrLines+indLines+valLines, ptrLines,
		indLines, valLines)
	fmt.Fprintf(&b, "%-14s%14d%14d%14d%14d\n%-16s%-16s%-20s\n", f.kind, f.rows, f.cols, len(f.row), 0, f.ptr, f.ind,
		f.fmt)
	return b.String() + ptr + ind + val
}

// random makes a file of that kind, with rows in random order in each column.
func random(rng *rand.Rand, kind string, rows, cols, entries int) *rbSample {
	f := &rbSample{kind: kind, rows: rows, cols: cols, starts: make([]int, cols+1)}
	count := make([]int, cols)
	for range entries {
		count[rng.IntN(cols)]++
	}

	for j, n := range count {
		f.starts[j+1] = f.starts[j] + n
		for range n {
			i := rng.IntN(rows)
			if kind[1] == 's' || kind[1] == 'z' || kind[1] == 'h' {
				i = j + rng.IntN(rows-j)
			}
			f.row = append(f.row, i)
		}
	}

	f.ptr, f.ind = "(10I8)", "(16I5)"
	if rows >= 1e5 {
		f.ind = "(13I6)"
	}
	if kind[0] == 'p' {
		return f
	}

	n := entries
	if kind[0] == 'c' {
		n *= 2
	}
	f.val = make([]float64, n)
	for k := range f.val {
		f.val[k] = rng.NormFloat64() * 1e3
	}

	f.fmt, f.number = "(1P,3E26.18)", func(v float64) string { return fmt.Sprintf("%26.18E", v) }
	return f
}

// matrix is what a reader should make of it.
func (f *rbSample) matrix(tb testing.TB, expand bool) *sparse.CSR[float64] {
	tb.Helper()
	var row, col []int32
	var val []float64
	for j := range f.cols {
		for k := f.starts[j]; k < f.starts[j+1]; k++ {
			v := 1.0
			switch {
			case f.kind[0] == 'c':
				v = f.val[2*k]
			case f.val != nil:
				v = f.val[k]
			}

			i := f.row[k]
			row, col, val = append(row, int32(i)), append(col, int32(j)), append(val, v)
			if expand && i != j && f.kind[1] != 'u' && f.kind[1] != 'r' {
				if f.kind[1] == 'z' {
					v = -v
				}
				row, col, val = append(row, int32(j)), append(col, int32(i)), append(val, v)
			}
		}
	}

	m := triplets.CSR(f.rows, f.cols, row, col, val)
	return m
}

// decode reads a file of the name "f".
func decodeRB(content string, opt Options) (*Matrix, error) {
	return decodeAs(rb, strings.NewReader(content), "f", opt)
}
