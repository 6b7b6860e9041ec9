package figure

import (
	"slices"
	"testing"

	"spmvtune/internal/testing/synthetic"
	"spmvtune/kernels"
	"spmvtune/plots/data"
	"spmvtune/store"
)

// A parameter that a trial does not spell out has the catalogue's default.
func TestSelections(t *testing.T) {
	k, _ := kernels.Lookup("csr_thread_row")
	bound := k.Params[0]
	for params, want := range map[string]string{"": "none", "shared=1": "none", "min_blocks=2 shared=0": "2"} {
		r := synthetic.Row(k.Name, 0, 0, 1)
		r.Params = kernels.Params(params)
		var got []string
		for _, v := range bound.Values {
			if data.WithParam(bound, v)(&r) {
				got = append(got, v)
			}
		}
		if !slices.Equal(got, []string{want}) {
			t.Errorf("%q is among %v, want %s", params, got, want)
		}
	}
	p := data.Panel{Rows: []store.Row{synthetic.Row("coo_scan_shared", 1024, 8, 1),
		synthetic.Row("coo_scan_shared", 32, 8, 3), synthetic.Row("coo_scan_shared", 32, 16, 2),
		synthetic.Row("coo_blelloch", 32, 8, 0.5)}}
	if r := p.FastestOf(ofFirstScan); r == nil || r.Block != 32 || r.Grid != 16 {
		t.Errorf("the first scan is %+v", r)
	}
	if r := p.FastestOf(data.OfKernels("csr_scalar")); r != nil {
		t.Errorf("found %+v among other kernels", r)
	}
}
