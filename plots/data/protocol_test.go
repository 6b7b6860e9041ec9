package data_test

import (
	"testing"

	"spmvtune/kernels"
	"spmvtune/plots/data"
	"spmvtune/plots/synthetic"
	"spmvtune/store"
)

// The protocol says nothing of launches where no GPU measured, and always how many runs repeated
// a trial.
func TestProtocolWords(t *testing.T) {
	for _, tt := range []struct {
		backend         string
		finals, spreads int
		want            string
	}{
		{"cpu", 0, 0, "warmup=1 slow=3; no repeat runs"},
		{"cuda", 1200, 3, "warmup=1 launch=graph slow=3; 1\u202f200 repeat runs of leaders, to pick the winner, and 3 of " +
			"other trials, to see how far another run may be off, each in newly allocated memory"},
	} {
		r := synthetic.Timed("grid", "cpu_csr", "", 64, 1)
		r.Device, r.Sweep, r.SweepHash = "d", "mine", "h"
		d := data.New([]store.Row{r}, nil, nil, []store.Device{{Label: "d", Device: kernels.Device{Backend: tt.backend}}})
		s := store.Sweep{Name: "mine", Hash: "h", ProtocolText: "warmup=1 launch=graph slow=3", Finals: tt.finals,
			Spreads: tt.spreads}
		if got := d.ProtocolWords(&s); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
