package page

import (
	"testing"

	"spmvtune/internal/testing/synthetic"
	"spmvtune/plots/table"
)

// The page lists so many kernels on matrices, and says how many more the file has.
func TestPreparationIsCut(t *testing.T) {
	d := synthetic.Gpu(40, 64).Report()
	whole := table.PreparationSheet(d)
	if len(whole.Tables) != 2 || len(whole.Tables[1].Rows) <= mostPrepared {
		t.Fatal("too few rows to cut")
	}
	h := preparation(d)
	if n := len(h.Details[0].Rows); n != mostPrepared || h.Cut != len(whole.Tables[1].Rows)-mostPrepared {
		t.Errorf("%d rows of %d and %d further ones, want %d", n, len(whole.Tables[1].Rows), h.Cut, mostPrepared)
	}
	if len(h.Tables[0].Rows) != len(whole.Tables[0].Rows) {
		t.Error("the summary is cut, too")
	}
}
