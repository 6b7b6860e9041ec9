package data

import (
	"spmvtune/store"
)

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
