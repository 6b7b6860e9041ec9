// SPDX-License-Identifier: Apache-2.0

package analysis

import (
	"regexp"
	"strconv"

	"example.org/spmvtune/kernels"
	"example.org/spmvtune/store"
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

// perCore are the fused multiply-adds in float32 that a core finishes in a cycle, half as many in
// float64, by vendor, family and models: two units of 256 bits, or of 512. They are of Agner Fog,
// "The microarchitecture of Intel, AMD and VIA CPUs". Models that come with one unit or with two
// under the same number are not among them.
var perCore = []struct {
	vendor, family string
	from, to, rate int
}{
	{"AuthenticAMD", "23", 0x30, 0xff, 16}, // Zen 2
	{"AuthenticAMD", "25", 0x00, 0xff, 16}, // Zen 3 and 4, whose 512 bits take both units
	{"AuthenticAMD", "26", 0x00, 0x1f, 32}, // Zen 5 of servers
	{"GenuineIntel", "6", 0x3f, 0x3f, 16},  // Haswell of servers
	{"GenuineIntel", "6", 0x4f, 0x4f, 16},  // Broadwell of servers
	{"GenuineIntel", "6", 0x6a, 0x6c, 32},  // Ice Lake of servers
	{"GenuineIntel", "6", 0x8f, 0x8f, 32},  // Sapphire Rapids
	{"GenuineIntel", "6", 0xcf, 0xcf, 32},  // Emerald Rapids
}

// PeakOf derives the arithmetic that a device can do at most, in GFLOP/s, from what it says of itself; 0 if it says too
// little. It is the multiply-adds of all its multiprocessors or cores at the highest clock.
func PeakOf(d *kernels.Device, p kernels.Precision) float64 {
	rate, units := perCycle[d.Properties["compute_capability"]][0], max(d.Units, 0)
	if p == kernels.Float64 {
		rate = perCycle[d.Properties["compute_capability"]][1]
	}
	if d.Backend == "cpu" {
		rate = coreRate(d)
		if p == kernels.Float64 {
			rate /= 2
		}
		if n, err := strconv.Atoi(d.Properties["physical_cores"]); err == nil {
			units = n
		}
	}
	return 2 * float64(units) * float64(rate) * clockOf(d)
}

// coreRate is the rate of perCore of a processor, 0 if it is not there.
func coreRate(d *kernels.Device) int {
	model, err := strconv.Atoi(d.Properties["model"])
	for _, r := range perCore {
		if err == nil && r.vendor == d.Properties["vendor"] && r.family == d.Properties["family"] &&
			model >= r.from && model <= r.to {
			return r.rate
		}
	}
	return 0
}

var inName = regexp.MustCompile(`@ ([0-9.]+)GHz`)

// clockOf returns the highest clock in GHz or, of a processor that reports none, the nominal one in its name; 0 for neither.
func clockOf(d *kernels.Device) (clock float64) {
	if khz, err := strconv.ParseFloat(d.Properties["clock_khz"], 64); err == nil && khz > 0 {
		return khz / 1e6
	}
	if m := inName.FindStringSubmatch(d.Name); m != nil {
		clock, _ = strconv.ParseFloat(m[1], 64)
	}
	return clock
}

// A Unit is the unit of a figure's throughput.
type Unit struct {
	Name  string
	Label string // The label of the axis.
	Note  string // A note for the subtitle.
	Bytes bool   // The unit can be compared with the device's bandwidth.
	Of    func(*store.Row) float64
}

// GBPS is compulsory traffic divided by time.
var GBPS = Unit{
	Name:  "GB/s",
	Label: "GB/s (compulsory traffic / time)",
	Bytes: true,
	Of:    func(r *store.Row) float64 { return r.GBPS },
}

// GFLOPS counts two operations for each nonzero.
var GFLOPS = Unit{
	Name:  "GFLOP/s",
	Label: "GFLOP/s (two per nonzero / time)",
	Of:    func(r *store.Row) float64 { return r.GFLOPS },
}

// PaperGBPS is the axis of the COO papers, which count 24 bytes for the two operations of
// each nonzero.
var PaperGBPS = Unit{
	Name:  "GB/s",
	Label: "GB/s (24 bytes per nonzero / time, as in the paper)",
	Note: " GB/s as the paper counts them, 24 bytes per nonzero in any format: proportional to speed, not to the " +
		"bytes that memory moved.",
	Of: func(r *store.Row) float64 { return 12 * r.GFLOPS },
}

// UnitFor chooses the unit of a figure. GB/s shows how near kernels come to the bandwidth of
// the device, but it ranks them only if they move the same bytes: COO has more GB/s than CSR
// in the same time.
func UnitFor(panels []Panel) Unit {
	formats := map[kernels.Format]bool{}
	for _, p := range panels {
		for i := range p.Rows {
			formats[p.Rows[i].Format] = true
		}
	}
	if len(formats) > 1 {
		return GFLOPS
	}
	return GBPS
}

// RoofOf returns the interval of a device's bandwidth (kernels.Roof.Span), in GB/s; zeros if it was not measured, or
// the unit can't be compared with it.
func (d *Data) RoofOf(device string, u Unit) (low, high float64) {
	if !u.Bytes {
		return 0, 0
	}
	return d.Device(device).Roof.Span()
}
