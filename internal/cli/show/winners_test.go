package show

import (
	"strings"
	"testing"

	"spmvtune/internal/testing/testkit"
	"spmvtune/store"
	"spmvtune/tuner/trial"
)

// The winners say how far another run may be off, and nothing where that is not known. Times have the digits that
// another run would confirm.
func TestBestSaysHowFarAnotherRunMayBeOff(t *testing.T) {
	for _, tt := range []struct {
		by     float64 // how far another run may be off
		factor float64 // 0 if that is not known
		time   string
		off    string
	}{
		{1.05, 1.05, " 6.3 ms ", "± 5%"}, {1.005, 1.005, " 6.35 ms ", "± 0.5%"}, {1.0005, 1.0005, " 6.346 ms ", "± 0.05%"},
		{1.05, 0, " 6.3 ms ", ""},
	} {
		const seconds = 6.3457e-3
		row := store.Row{Time: seconds, Another: trial.Interval{Low: seconds / tt.by, High: seconds * tt.by}, Factor: tt.factor}
		var text strings.Builder
		testkit.Succeed(t, Best(&text, []store.Best{{Row: row}}))
		if got := text.String(); !strings.Contains(got, tt.time) || !strings.Contains(got, tt.off) || tt.off == "" &&
			strings.Contains(got, "±") {
			t.Errorf("by %v, with the factor %v, missing %q or %q:\n%s", tt.by, tt.factor, tt.time, tt.off, got)
		}
	}
}
