package data

import (
	"fmt"
	"strconv"

	"spmvtune/kernels"
	"spmvtune/plots/number"
)

// perCycle are the fused multiply-adds that a multiprocessor of a compute
// capability finishes in a cycle, in float32 and float64: CUDA C++ Programming
// Guide, table "Throughput of Native Arithmetic Instructions".
var perCycle = map[string][2]int{
	"6.0": {64, 32}, "6.1": {128, 4}, "6.2": {128, 4},
	"7.0": {64, 32}, "7.2": {64, 32}, "7.5": {64, 2},
	"8.0": {64, 32}, "8.6": {128, 2}, "8.7": {128, 2}, "8.9": {128, 2},
	"9.0": {128, 64}, "10.0": {128, 64}, "12.0": {128, 2},
}

// A Peak is the arithmetic that a device can do at most.
type Peak struct {
	GFLOPS float64
	How    string // How it was derived.
}

// PeakOf derives the peak from what the device says of itself. Of processors it is
// not known: neither the width of their units nor their clock is recorded.
func PeakOf(d *kernels.Device, p kernels.Precision) (Peak, bool) {
	rates, known := perCycle[d.Properties["compute_capability"]]
	khz, err := strconv.ParseFloat(d.Properties["clock_khz"], 64)
	if !known || err != nil || !(khz > 0) || d.Units <= 0 {
		return Peak{}, false
	}
	rate := rates[0]
	if p == kernels.Float64 {
		rate = rates[1]
	}
	return Peak{
		GFLOPS: 2 * float64(d.Units) * float64(rate) * khz / 1e6,
		How: fmt.Sprintf("%d multiprocessors × %d multiply-adds × %s\u202fGHz", d.Units, rate,
			number.Significant(khz/1e6, 3)),
	}, true
}
