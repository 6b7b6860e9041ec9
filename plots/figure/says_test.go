package figure

import (
	"strings"
	"testing"

	"spmvtune/internal/testing/synthetic"
	"spmvtune/plots/data"
	"spmvtune/store"
)

// A title names who leads on half of the matrices, or on short rows and on long ones; of kernels
// that take turns it says nothing.
func TestTitlesOfLeads(t *testing.T) {
	for _, c := range []struct{ winners, want string }{
		{"aaab", "csr_scalar is the fastest, or tied, on 3 of 4 matrices"},
		{"abcabcabc", ""},
		{"aabccc", "csr_vector is the fastest, or tied, on 3 of 6 matrices"},
		{"aaabbcc", "csr_scalar is the fastest, or tied, on 3 of 3 matrices up to 30.0 nonzeros in a row, csr_vector on 2 of 4 above"},
	} {
		names := map[rune]string{'a': "csr_scalar", 'b': "csr_light", 'c': "csr_vector"}
		var rows []store.Row
		for i, winner := range c.winners {
			for letter, name := range names {
				r := synthetic.Row(name, 64, 8, 2)
				if letter == winner {
					r = synthetic.Row(name, 64, 8, 1)
				}
				r.Matrix, r.Rows, r.NNZ = strings.Repeat("m", i+1), 10, 100*(i+1)
				rows = append(rows, r)
			}
		}
		d := data.New(rows, nil, nil, nil)
		if got := byRowLength.leads(d, d.Panels); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", c.winners, got, c.want)
		}
	}
}

// A kernel that is tied everywhere and named nowhere does not lead: figures have it in grey.
func TestTiesDoNotLead(t *testing.T) {
	var rows []store.Row
	for i := range 4 {
		best := map[bool]string{true: "csr_scalar", false: "csr_light"}[i < 3]
		for _, name := range []string{"csr_scalar", "csr_light", "csr_vector"} {
			r := synthetic.Row(name, 64, 8, map[string]float64{best: 1, "csr_vector": 1.001}[name])
			if r.Time == 0 {
				r = synthetic.Row(name, 64, 8, 2)
			}
			r.Matrix, r.Rows, r.NNZ = strings.Repeat("m", i+1), 10, 100*(i+1)
			r.Tied = name == best || name == "csr_vector"
			rows = append(rows, r)
		}
	}
	d := data.New(rows, nil, nil, nil)
	names := []string{"csr_vector", "csr_light", "csr_scalar"}
	for _, got := range []string{byRowLength.leads(d, d.Panels),
		tabulate(d, &scenesByCondition(d)[0], each(names, nil)).leads()} {
		if want := "csr_scalar is the fastest, or tied, on 3 of 4"; !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
