package plots

import (
	"spmvtune/kernels"
	"spmvtune/store"
)

// A unit is what the throughput of a figure is given in.
type unit struct {
	name  string
	label string // of the axis
	note  string // for the subtitle
	of    func(*store.Row) float64
	bytes bool // it can be compared with the bandwidth of the device
}

var (
	gbps = unit{
		name:  "GB/s",
		label: "GB/s (compulsory traffic / time)",
		of:    func(r *store.Row) float64 { return r.GBPS },
		bytes: true,
	}
	gflops = unit{
		name:  "GFLOP/s",
		label: "GFLOP/s (two per nonzero / time)",
		note:  " GFLOP/s, not GB/s, because formats differ in bytes.",
		of:    func(r *store.Row) float64 { return r.GFLOPS },
	}
	// gbpsPaper is the axis of the COO papers, who count 24 bytes for the two
	// operations of each nonzero.
	gbpsPaper = unit{
		name:  "GB/s",
		label: "GB/s (24 bytes per nonzero / time, as in the paper)",
		note:  " GB/s as the paper counts them, 24 bytes per nonzero in any format: in proportion to speed, not what memory moved.",
		of:    func(r *store.Row) float64 { return 12 * r.GFLOPS },
	}
)

// unitFor chooses the unit of a figure with these panels. GB/s shows how near
// kernels come to the bandwidth of the device, but it ranks them only while they
// move the same bytes: COO has more GB/s than CSR at the same time.
func unitFor(panels []panel) unit {
	var format kernels.Format
	for i := range panels {
		for j := range panels[i].rows {
			switch f := panels[i].rows[j].Format; {
			case i == 0 && j == 0:
				format = f
			case f != format:
				return gflops
			}
		}
	}
	return gbps
}
