package analysis_test

import (
	"testing"

	"spmvtune/analysis"
	"spmvtune/internal/testing/synthetic"
	"spmvtune/kernels"
	"spmvtune/store"
)

// The protocol of a sweep says nothing of launches where it measured on no GPU, and always how many runs repeated
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
		other := r
		other.Device, other.Sweep = "gpu", "another"
		d := analysis.New([]store.Row{r, other}, nil, nil, []store.Device{
			{Label: "d", Device: kernels.Device{Backend: tt.backend}}, {Label: "gpu", Device: kernels.Device{Backend: "cuda"}},
		})
		s := store.Sweep{Name: "mine", Hash: "h", ProtocolText: "warmup=1 launch=graph slow=3", LeaderReruns: tt.finals,
			NoiseReruns: tt.spreads}
		if got := d.ProtocolWords(&s); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
