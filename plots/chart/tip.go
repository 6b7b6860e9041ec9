package chart

import (
	"fmt"
	"math"
	"strings"

	"spmvtune/plots/number"
	"spmvtune/store"
)

// About says what a trial is and what it took, as one who points at its mark wants to
// know.
func About(r *store.Row) string {
	if r == nil {
		return ""
	}
	parts := []string{r.Kernel, r.Matrix, string(r.Precision)}
	if r.Block > 0 {
		parts = append(parts, fmt.Sprintf("block %d", r.Block))
	}
	if r.Grid > 0 {
		parts = append(parts, fmt.Sprintf("grid %d", r.Grid))
	}
	if r.Params != "" {
		parts = append(parts, r.Params.String())
	}
	return strings.Join(parts, ", ") + ": " + timeWords(r)
}

// timeWords are the time of a trial with its interval, and its throughput.
func timeWords(r *store.Row) string {
	text := number.Significant(1e3*r.Median, 4) + " ms"
	if r.Low > 0 && r.High >= r.Low && !math.IsInf(r.High, 0) {
		text += " (" + number.Significant(1e3*r.Low, 4) + " to " + number.Significant(1e3*r.High, 4) + ")"
	}
	if r.GFLOPS > 0 {
		text += ", " + number.Significant(r.GFLOPS, 3) + " GFLOP/s"
	}
	if r.GBPS > 0 {
		text += ", " + number.Significant(r.GBPS, 3) + " GB/s"
	}
	return text
}

// Between adds its interval to a value.
func Between(number func(float64) string, v, low, high float64) string {
	if low == v && high == v {
		return number(v)
	}
	return number(v) + " (" + number(low) + " to " + number(high) + ")"
}
