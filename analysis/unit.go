package analysis

import (
	"spmvtune/kernels"
	"spmvtune/store"
)

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
	Note:  " GFLOP/s, not GB/s, because formats differ in bytes.",
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
	var format kernels.Format
	for i := range panels {
		for j := range panels[i].Rows {
			switch f := panels[i].Rows[j].Format; {
			case i == 0 && j == 0:
				format = f
			case f != format:
				return GFLOPS
			}
		}
	}

	return GBPS
}

// RoofOf returns the measured bandwidth of the panels' device, 0 if the unit can't be
// compared with it.
func RoofOf(panels []Panel, u Unit) float64 {
	if !u.Bytes {
		return 0
	}
	for i := range panels {
		for j := range panels[i].Rows {
			if bandwidth := bandwidthOf(&panels[i].Rows[j]); bandwidth > 0 {
				return bandwidth
			}
		}
	}

	return 0
}

// bandwidthOf returns the roof that a row was compared with, 0 if there was none.
func bandwidthOf(r *store.Row) float64 {
	if r.RoofFraction > 0 && r.GBPS > 0 {
		return r.GBPS / r.RoofFraction
	}
	return 0
}
