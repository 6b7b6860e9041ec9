package figure

import (
	"fmt"
	"strings"
	"testing"

	"spmvtune/internal/testing/synthetic"
	"spmvtune/plots/data"
	"spmvtune/plots/number"
	"spmvtune/store"
)

func TestOrdering(t *testing.T) {
	var rows []store.Row
	for _, m := range []struct {
		name      string
		rows, nnz int
	}{{"few-long", 100, 50_000}, {"many-short", 2_000_000, 4_000_000}, {"middle", 10_000, 200_000}} {
		r := synthetic.Row("csr_vector", 64, 1, 1)
		r.Matrix, r.Rows, r.NNZ = m.name, m.rows, m.nnz
		rows = append(rows, r)
	}
	d := data.New(rows, nil, nil, nil)
	for _, tt := range []struct {
		by   ordering
		want string
	}{
		{byRows, "few-long 100, middle 10.0k, many-short 2.00M"},
		{byNonzeros, "few-long 50.0k, middle 200k, many-short 4.00M"},
		{byRowLength, "many-short 2.00, middle 20.0, few-long 500"},
	} {
		var got []string
		for _, s := range tt.by.stops(d.Panels) {
			got = append(got, s.Matrix+" "+tt.by.print(s.Value))
		}
		if s := strings.Join(got, ", "); s != tt.want {
			t.Errorf("by %s: %s, want %s", tt.by.name, s, tt.want)
		}
	}
	for v, want := range map[float64]string{0: "0", 999: "999", 999.9: "1.00k", 999_950: "1.00M", 480_047_894: "480M",
		4e9: "4.00G"} {
		if got := number.Abbreviated(v); got != want {
			t.Errorf("%v is abbreviated as %s, want %s", v, got, want)
		}
	}
}

// Few matrices are named, each at its value on the logarithmic axis; many are not.
func TestAxisOfMatrices(t *testing.T) {
	for n, named := range map[int]int{2: 2, 19: 19, 20: 0, 300: 0} {
		var stops []stop
		for i := range n {
			stops = append(stops, stop{fmt.Sprintf("matrix-%03d", i), float64((i + 1) * (i + 1))})
		}
		if stems := byRowLength.stems(stops); len(stems) != named {
			t.Errorf("%d of %d matrices are named", len(stems), n)
		}
		s := byRowLength.axis(stops, 8)
		if s.Min >= 1 || s.Max <= float64(n*n) {
			t.Errorf("%d matrices: from %v to %v", n, s.Min, s.Max)
		}
	}
}
