package show

import (
	"strings"
	"testing"

	"spmvtune/store"
	"spmvtune/tuner/trial"
)

// The winners say how far another run may be off, and nothing where that is not known.
func TestBestSaysHowFarAnotherRunMayBeOff(t *testing.T) {
	row := store.Row{Time: 1e-3, Another: trial.Interval{Low: 0.9e-3, High: 1.05e-3}, Factor: 1.05}
	for factor, want := range map[float64]bool{1.05: true, 0: false} {
		row.Factor = factor
		var text strings.Builder
		if err := Best(&text, []store.Best{{Row: row}}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(text.String(), "± 11%"); got != want {
			t.Errorf("with the factor %v:\n%s", factor, text.String())
		}
	}
}

// Times have the digits that another run would confirm.
func TestBestRoundsTimes(t *testing.T) {
	for factor, want := range map[float64]string{1.05: " 6.3 ms ", 1.005: " 6.35 ms ", 1.0005: " 6.346 ms "} {
		const seconds = 6.3457e-3
		row := store.Row{Time: seconds, Another: trial.Interval{Low: seconds / factor, High: seconds * factor}, Factor: factor}
		var text strings.Builder
		if err := Best(&text, []store.Best{{Row: row}}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(text.String(), want) {
			t.Errorf("with the factor %v, missing %q:\n%s", factor, want, text.String())
		}
	}
}
