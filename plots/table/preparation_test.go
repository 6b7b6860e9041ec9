package table

import (
	"strings"
	"testing"

	"spmvtune/analysis"
	"spmvtune/internal/testing/synthetic"
	"spmvtune/store"
)

// Preparation is divided by what it saves; what repetitions may make faster never pays.
func TestPreparation(t *testing.T) {
	prepared := func(matrix, kernel string, prepare, ms float64) store.Row {
		r := synthetic.Timed(matrix, kernel, "", 64, ms)
		r.Prepare = prepare / 1e3
		return r
	}
	d := analysis.New([]store.Row{
		prepared("a", "csr_scalar", 1, 4), prepared("a", "csr_adaptive", 22, 2), prepared("a", "csr_hybrid", 22, 3.96),
		prepared("a", "csr_vector", 1, 2), prepared("a", "csr_merge", 9, 5), prepared("a", "cusparse_csr_alg1", 2, 3),
		prepared("a", "cusparse_csr_alg2", 2, 9),
		prepared("b", "csr_scalar", 1, 4), prepared("b", "csr_adaptive", 202, 2),
	}, nil, nil, nil)
	s := PreparationSheet(d)
	if len(s.Tables) != 2 {
		t.Fatalf("%d tables, want a summary and one for each kernel and matrix", len(s.Tables))
	}
	got := map[string]string{}
	for _, row := range s.Tables[1].Rows {
		got[row[0].Text+" "+row[1].Text] = row[7].Text + ", " + row[8].Text
	}
	for of, want := range map[string]string{
		"a csr_scalar": "–, never", "a csr_adaptive": "11, 20", "a csr_hybrid": "never, never",
		"a csr_vector": "at once, at once", "a csr_merge": "never, never", "a cusparse_csr_alg1": "1, –",
		"a cusparse_csr_alg2": "never, never", "b csr_adaptive": "101, –",
	} {
		if got[of] != want {
			t.Errorf("%s pays off after %s products, want %s", of, got[of], want)
		}
	}
	for _, row := range s.Tables[0].Rows {
		if row[0].Text == "csr_adaptive" {
			var cells []string
			for _, c := range row {
				cells = append(cells, c.Text)
			}
			if text := strings.Join(cells, ", "); text != "csr_adaptive, 2 of 2, 56, 101, 1 of 1, 20, 20" {
				t.Errorf("in sum: %s", text)
			}
		}
	}

	for i := range d.Rows {
		d.Rows[i].Prepare = 0
	}
	if s := PreparationSheet(d); len(s.Tables) != 0 {
		t.Error("a table of preparation that nobody measured")
	}
}

// A ratio that may be 1 is called tied. That of a trial to itself is 1.
func TestRatiosThatMayBeOne(t *testing.T) {
	a, b, c := synthetic.Timed("a", "csr_scalar", "", 64, 1), synthetic.Timed("a", "csr_vector", "", 64, 1.012),
		synthetic.Timed("a", "csr_merge", "", 64, 2)
	copied := a
	for _, tt := range []struct {
		r    *store.Row
		want string
	}{{&b, "0.988 (tied)"}, {&c, "0.500"}, {&copied, "1.000"}} {
		if got := ratioCell(&a, tt.r).Text; got != tt.want {
			t.Errorf("%s over %s is %q, want %q", tt.r.Kernel, a.Kernel, got, tt.want)
		}
	}
}
