package data

import (
	"spmvtune/store"
)

// RoofOf is the measured bandwidth of the panels' device where the unit can be
// compared with it, 0 otherwise.
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

// bandwidthOf is the roof that a row was compared with, 0 if there was none.
func bandwidthOf(r *store.Row) float64 {
	if r.RoofFraction > 0 && r.GBPS > 0 {
		return r.GBPS / r.RoofFraction
	}
	return 0
}
