package data

import (
	"spmvtune/kernels"
	"spmvtune/store"
)

// A Unit is what the throughput of a figure is given in.
type Unit struct {
	Name  string
	Label string // of the axis
	Note  string // for the subtitle
	Of    func(*store.Row) float64
	Bytes bool // it can be compared with the bandwidth of the device
}

var (
	Gbps = Unit{
		Name:  "GB/s",
		Label: "GB/s (compulsory traffic / time)",
		Of:    func(r *store.Row) float64 { return r.GBPS },
		Bytes: true,
	}
	Gflops = Unit{
		Name:  "GFLOP/s",
		Label: "GFLOP/s (two per nonzero / time)",
		Note:  " GFLOP/s, not GB/s, because formats differ in bytes.",
		Of:    func(r *store.Row) float64 { return r.GFLOPS },
	}
	// GbpsPaper is the axis of the COO papers, who count 24 bytes for the two
	// operations of each nonzero.
	GbpsPaper = Unit{
		Name:  "GB/s",
		Label: "GB/s (24 bytes per nonzero / time, as in the paper)",
		Note:  " GB/s as the paper counts them, 24 bytes per nonzero in any format: in proportion to speed, not what memory moved.",
		Of:    func(r *store.Row) float64 { return 12 * r.GFLOPS },
	}
)

// UnitFor chooses the unit of a figure with these panels. GB/s shows how near
// kernels come to the bandwidth of the device, but it ranks them only while they
// move the same bytes: COO has more GB/s than CSR at the same time.
func UnitFor(panels []Panel) Unit {
	var format kernels.Format
	for i := range panels {
		for j := range panels[i].Rows {
			switch f := panels[i].Rows[j].Format; {
			case i == 0 && j == 0:
				format = f
			case f != format:
				return Gflops
			}
		}
	}
	return Gbps
}
