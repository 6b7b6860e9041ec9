package page

import (
	"slices"
	"strings"
	"testing"

	"spmvtune/analysis"
	"spmvtune/configs"
	"spmvtune/plots/table"
)

// TestPaperTablesNameTheirSweeps: without data, a table says which sweep produces it, and
// that sweep is shipped and has the kernels.
func TestPaperTablesNameTheirSweeps(t *testing.T) {
	d := analysis.New(nil, nil, nil, nil)
	shown, lacking := htmlSheets(table.PaperSheets(d))
	if len(shown) > 0 {
		t.Errorf("%d tables without data", len(shown))
	}
	for _, s := range table.PaperSheets(d) {
		if !strings.Contains(lacking, s.Title+": sweep "+s.Sweep) || !slices.Contains(configs.Shipped(), s.Sweep) {
			t.Errorf("%s has no sweep among the shipped ones: %q", s.Stem, s.Sweep)
		}
	}
}
