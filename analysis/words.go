// SPDX-License-Identifier: Apache-2.0

package analysis

import (
	"fmt"
	"math"
	"strings"

	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/store"
)

// Words describes a setup, as in "float64, cold cache, 2 cores".
func (d *Data) Words(s Setup) string {
	return string(s.Precision) + ", " + d.ConditionWords(s.Condition)
}

// ConditionWords describes a condition, as in "cold cache, 2 cores".
func (d *Data) ConditionWords(c Condition) string {
	return string(c.Cache) + " cache, " + d.DeviceWords(c.Device)
}

// DeviceWords is a device's name and, for a processor, its cores.
func (d *Data) DeviceWords(name string) string {
	short := ShortDevice(name)
	if dev := d.Device(name); dev.Backend == "cpu" && dev.Units > 0 {
		return short + ", " + term.Count(dev.Units, "core", "cores")
	}
	return short
}

// ShortDevice leaves out what makers add to the names of their processors.
func ShortDevice(name string) string {
	s := strings.NewReplacer("(R)", "", "(TM)", "", "(r)", "", "(tm)", "", " CPU", "").Replace(name)
	return strings.Join(strings.Fields(s), " ")
}

// About says what a trial is and what it took, for a reader who points at its mark.
func About(r *store.Row) string {
	if r == nil {
		return ""
	}
	parts := append([]string{r.Kernel, r.Matrix, string(r.Precision)}, r.Config.Settings()...)
	return strings.Join(parts, ", ") + ": " + TimeWords(r)
}

// TimeWords is the time of a trial with the interval in which another run finds it, and its
// throughput.
func TimeWords(r *store.Row) string {
	half := 1e3 * r.Time * Relative(r)
	text := term.Rounded(1e3*r.Time, half) + " ms"
	if low, high := r.Another.Low, r.Another.High; low > 0 && high >= low && !math.IsInf(high, 0) {
		text += " (" + term.Rounded(1e3*low, half) + " to " + term.Rounded(1e3*high, half) + ")"
	}
	if r.GFLOPS > 0 {
		text += ", " + term.Rounded(r.GFLOPS, r.GFLOPS*Relative(r)) + " GFLOP/s"
	}
	if r.GBPS > 0 {
		text += ", " + term.Rounded(r.GBPS, r.GBPS*Relative(r)) + " GB/s"
	}
	return text
}

// Enumerate names some of a list, and says how many more there are.
func Enumerate(names []string) string { return term.Some(names, 6) }

// LargestDrift returns the series with the factor furthest from 1, and that factor.
func LargestDrift(of []store.Drift) (worst *store.Drift, factor float64) {
	factor = 1
	for i := range of {
		low, high := of[i].Extremes()
		for _, f := range []float64{low, high} {
			if worst == nil || math.Abs(math.Log(f)) > math.Abs(math.Log(factor)) {
				worst, factor = &of[i], f
			}
		}
	}

	return worst, factor
}

// Counting says whether a drift was corrected for.
func Counting(d *store.Drift, factor float64) string {
	const small = 0.03 // more than that is not called small
	switch {
	case d.Significant:
		return "taken out of ties and comparisons"
	case math.Abs(factor-1) > small:
		return "not significant, so not corrected"
	}
	return "too small or not significant, so not corrected"
}

// RowClass names the range of row lengths between powers of two that holds this mean.
func RowClass(mean float64) string {
	if mean < 2 {
		return "less than 2 nonzeros in a row"
	}
	low := math.Exp2(math.Floor(math.Log2(mean)))
	return fmt.Sprintf("%s to %s in a row", term.Plain(low), term.Plain(2*low))
}

// IsGPU reports whether a device is a GPU of this program.
func (d *Data) IsGPU(device string) bool { return d.Device(device).Backend == "cuda" }
