package chart

import (
	"fmt"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// Where labels have no room, every second of evenly spaced ones has one, and not some of them.
func TestTicksAreThinnedEvenly(t *testing.T) {
	for _, tt := range []struct {
		ticks string
		room  float64
		want  string
	}{
		{"0 1 2 3 4 5 6 7", 1, "0 1 2 3 4 5 6 7"},
		{"0 1 2 3 4 5 6 7", 1.2, "0 2 4 6"},
		{"4 5 6 7 8", 1.2, "4 6 8"},
		{"0.4 0.6 0.8 1", 0.3, "0.6 1"},
		{"1 2 5 10", 2, "1 10 5"}, // which are not evenly spaced
	} {
		var ticks []plot.Tick
		for _, word := range strings.Fields(tt.ticks) {
			var v float64
			fmt.Sscan(word, &v)
			ticks = append(ticks, plot.Tick{Value: v, Label: word})
		}
		var got []string
		for _, k := range spacedBy(ticks, func(v float64) vg.Length { return vg.Length(v) },
			func(plot.Tick) vg.Length { return vg.Length(tt.room) }) {
			got = append(got, k.Label)
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("of %s with room %g: %s, want %s", tt.ticks, tt.room, s, tt.want)
		}
	}
}
