// SPDX-License-Identifier: Apache-2.0

package term

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"example.org/spmvtune/internal/testing/testkit"
)

// Whatever a command finds is a table: fields within fields have dots, in the order of the JSON.
func TestTabulate(t *testing.T) {
	type inner struct {
		B int     `json:"b"`
		A float64 `json:"a"`
	}
	type outer struct {
		Name string   `json:"name"`
		In   *inner   `json:"in,omitempty"`
		Yes  bool     `json:"yes"`
		List []string `json:"list"`
		Deep []inner  `json:"deep"`
	}
	one := outer{"x", &inner{1 << 60, 0.5}, true, []string{"p", "q"}, []inner{{2, 3}}}
	for _, tt := range []struct {
		v    any
		want string
	}{
		{one, "name,value\nname,x\nin.b,1152921504606846976\nin.a,0.5\nyes,true\nlist,\"p, q\"\n" +
			"deep,\"[{\"\"b\"\":2,\"\"a\"\":3}]\"\n"},
		{[]outer{{Name: "first"}, one}, "name,yes,list,deep,in.b,in.a\nfirst,false,,,,\n" +
			"x,true,\"p, q\",\"[{\"\"b\"\":2,\"\"a\"\":3}]\",1152921504606846976,0.5\n"},
		{[]int{3, 4}, "value\n3\n4\n"},
		{Table{Columns: []string{"c"}, Rows: [][]any{{1}}}, "c\n1\n"},
	} {
		var b strings.Builder
		testkit.Succeed(t, Format(&b, "csv", tt.v))
		testkit.Equal(t, b.String(), tt.want, "%v", tt.v)
	}
}

// A screen is a terminal of so many columns.
type screen struct {
	strings.Builder
	columns int
}

func (s *screen) Columns() int { return s.columns }

// No line of a table is wider than the terminal, and what is left out is said.
func TestTablesFit(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		table := Table{Less: []string{"c3", "c1"}}
		for i := range 1 + random.IntN(9) {
			table.Columns = append(table.Columns, fmt.Sprintf("c%d", i))
		}
		for range 1 + random.IntN(4) {
			var row []any
			for i := range table.Columns {
				if i%2 == 0 {
					row = append(row, strings.Repeat("wört ", random.IntN(9))+strings.Repeat("x", random.IntN(40)))
				} else {
					row = append(row, random.IntN(1_000_000))
				}
			}
			table.Rows = append(table.Rows, row)
		}
		s := &screen{columns: 30 + random.IntN(80)}
		table.Print(s)
		for _, line := range strings.Split(s.String(), "\n") {
			n := utf8.RuneCountInString(strings.TrimRight(line, " "))
			testkit.Require(t, n <= s.columns, "%d columns on %d:\n%s", n, s.columns, s)
		}
		header, _, _ := strings.Cut(s.String(), "\n")
		for _, c := range table.Columns {
			testkit.Require(t, strings.Contains(header, c) || strings.Contains(s.String(), "--wide"), "%s is missing in\n%s", c, s)
		}
	}
}

// The columns that can be done without go first, with their value if that is always the same. Elsewhere nothing
// is cut.
func TestLessGoesFirst(t *testing.T) {
	table := Table{Columns: []string{"matrix", "cache", "kernel"}, Less: []string{"cache"}}
	table.Add("a-long-name-of-a-matrix-1", "warm", "cpu_csr_rows")
	table.Add("a-long-name-of-a-matrix-2", "warm", "cpu_csr_rows")
	for _, tt := range []struct {
		columns int
		want    []string
		not     string
	}{
		{44, []string{"a-long-name-of-a-matrix-1", "cpu_csr_rows", "(without cache (warm): --wide shows all columns)"}, "…"},
		{34, []string{"-1 ", "-2 ", "…", "cpu_csr_rows", "without cache (warm)"}, "a-long-name-of-a-matrix"},
		{20, []string{"kernel (cpu_csr_rows)"}, "warm  "},
		{0, []string{"a-long-name-of-a-matrix-1", "warm", "cpu_csr_rows"}, "wide"},
	} {
		s := &screen{columns: tt.columns}
		table.Print(s)
		got := strings.Join(strings.Fields(s.String()), " ") + " "
		testkit.Says(t, fmt.Sprint(tt.columns, " columns"), got, tt.want...)
		testkit.Lacks(t, fmt.Sprint(tt.columns, " columns"), got, tt.not)
	}
	table.Less = nil // names stay whole, and the last columns go
	testkit.Says(t, "a table at 34", strings.Join(table.Within(34), "\n"), "a-long-name-of-a-matrix-1", "warm")
}

// A sentence fits the terminal, and the page on a wide one. Where there is no terminal it is one line.
func TestLines(t *testing.T) {
	text := strings.TrimSpace(strings.Repeat("seven w ", 30))
	for columns, want := range map[int]int{0: 4 + len(text), 40: 40, 400: PageWidth} {
		s := &screen{columns: columns}
		Print(s, text)
		Item(s, text)
		widest := 0
		for line := range strings.Lines(s.String()) {
			widest = max(widest, len(strings.TrimRight(line, "\n")))
		}
		if widest > want || widest < want-8 || strings.Join(strings.Fields(s.String()), " ") != text+" "+text {
			t.Errorf("on %d columns the widest line has %d:\n%s", columns, widest, s)
		}
	}
}
