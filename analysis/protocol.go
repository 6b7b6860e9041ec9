package analysis

import (
	"slices"
	"strings"

	"spmvtune/internal/base/term"
	"spmvtune/store"
)

// ProtocolWords says how a sweep measured: its protocol, without how a GPU launches kernels where
// none ran, and how many runs repeated a trial.
func (d *Data) ProtocolWords(s *store.Sweep) string {
	text := s.ProtocolText
	if !d.onGPU(s) {
		words := slices.DeleteFunc(strings.Fields(text), func(w string) bool { return strings.HasPrefix(w, "launch=") })
		text = strings.Join(words, " ")
	}
	if s.LeaderReruns+s.NoiseReruns == 0 {
		return text + "; no repeat runs"
	}
	return text + "; " + term.GroupedCount(s.LeaderReruns, "repeat run", "repeat runs") + " of leaders, to pick the winner, and " +
		term.Grouped(s.NoiseReruns) + " of other trials, to see how far another run may be off, each in newly allocated memory"
}

// onGPU reports whether a sweep measured on a GPU.
func (d *Data) onGPU(s *store.Sweep) bool {
	return slices.ContainsFunc(d.Rows, func(r store.Row) bool {
		return r.Sweep == s.Name && r.SweepHash == s.Hash && d.IsGPU(r.Device)
	})
}

// IsGPU reports whether a device is a GPU of this program.
func (d *Data) IsGPU(device string) bool {
	return slices.ContainsFunc(d.Devices, func(v store.Device) bool { return v.Label == device && v.Backend == "cuda" })
}
