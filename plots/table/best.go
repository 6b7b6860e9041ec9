// SPDX-License-Identifier: Apache-2.0

package table

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/store"
)

// BestSheet lists the fastest configurations, a table for each setup.
func BestSheet(d *analysis.Data) Sheet {
	return Sheet{Stem: "best-configuration", Title: "Fastest configuration", Tables: BestTables(d), Notes: notes(d,
		"Time: with the interval in which another run finds it (95%). Numbers are rounded to the digits that it "+
			"supports, at least two. GB/s: compulsory traffic of the format divided by time. Roof: share of the device's "+
			"bandwidth, the highest of a read, a copy and a triad, measured at the start of each run. Copy: share of the "+
			"copy's. Above 100%, the matrix came from caches.",
		"Tied: how many other kernels can't be told from the fastest (≥: at least, there were no repeats), and which. "+
			"Recommended: where another configuration is as fast and its neighbouring block and grid sizes are fast, too, "+
			"or it is the more usual one. Speed-up: over the baseline's fastest; (tied): it can't be told from 1.", driftNote(d))}
}

// BestTables lists the fastest configurations, a table for each setup.
func BestTables(d *analysis.Data) []Table {
	return perSetup(d, func(panels []analysis.Panel) Table {
		device := panels[0].Device
		vendor := slices.ContainsFunc(d.Panels, func(p analysis.Panel) bool { return p.Device == device && p.CuSPARSE() != nil })
		t := Table{Columns: bestColumns(d.BaselineOf(device), vendor)}
		for i := range panels {
			for k := range d.Best {
				if b := &d.Best[k]; b.Place() == panels[i].Case {
					t.Rows = append(t.Rows, bestRow(d, &panels[i], b, vendor))
				}
			}
		}
		return t
	})
}

func bestColumns(baseline string, vendor bool) []Column {
	speedup := "speed-up"
	if baseline != "" {
		speedup = "× " + baseline
	}
	columns := Columns(
		"matrix", "kernel", ">block", ">grid", "parameters",
		">time (ms)", ">GFLOP/s", ">GB/s", ">roof (%)", "?>copy (%)", ">"+speedup,
	)
	if vendor {
		columns = append(columns, Columns(">× cuSPARSE")...)
	}
	return append(columns, Columns("?>tied", "?tied kernels", "?recommended")...)
}

func bestRow(d *analysis.Data, p *analysis.Panel, b *store.Best, vendor bool) []Cell {
	r := &b.Row
	measured := func(v float64) Cell { return rateCell(r, v).within(v*r.Time/r.Another.High, v*r.Time/r.Another.Low) }
	row := append([]Cell{Text(b.Matrix)}, configuration(r)...)
	row = append(row, timeCell(r).within(1e3*r.Another.Low, 1e3*r.Another.High), measured(b.GFLOPS), measured(b.GBPS),
		measured(100*b.RoofFraction), measured(100*b.GBPS/cmp.Or(d.Device(b.Device).Roof.Copy, math.NaN())))

	bases := []*store.Row{p.Best(d.BaselineOf(b.Device))}
	if vendor {
		bases = append(bases, p.CuSPARSE())
	}
	for _, base := range bases {
		cell := ratioCell(base, r)
		if base != nil && base.Config != r.Config {
			ratio := analysis.Ratio(base, r)
			cell = cell.within(ratio.Low, ratio.High)
		}
		row = append(row, cell)
	}
	return append(row, keyed(analysis.TieCount(b), float64(b.Others)), Text(strings.Join(d.Tied(b), ", ")), Text(b.Recommended))
}

// driftNote names the matrices whose ties were corrected for drift, "" if there are none.
func driftNote(d *analysis.Data) string {
	significant := lists.Where(d.Drifts, func(s store.Drift) bool { return s.Significant })
	names := lists.Distinct(significant, func(s store.Drift) string { return s.Matrix })

	if len(names) == 0 {
		return ""
	}
	return "Ties ignore the drift of the device, and listed times contain it, on " +
		strings.Join(names, ", ") + "."
}
