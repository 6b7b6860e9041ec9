package table

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"spmvtune/analysis"
	"spmvtune/internal/base/term"
	"spmvtune/store"
)

// BestSheet lists the recommended configurations, a table for each setup.
func BestSheet(d *analysis.Data) Sheet {
	return Sheet{Stem: "best-configuration", Title: "Recommended configuration", Tables: BestTables(d), Notes: notes(d,
		"Time: with the interval in which another run finds it (95%). Numbers are rounded to the digits that it "+
			"supports, at least two. GB/s: compulsory traffic of the format divided by time. Roof: share of the device's "+
			"bandwidth, the highest of a read, a copy and a triad, measured at the start of each run. Copy: share of the "+
			"copy's. Above 100%, the matrix came from caches.",
		"Tied: the number of configurations that can't be told from the fastest, including the listed one (≥: at least, "+
			"there were no repeats), and the other kernels among them. The recommended one is the most robust: its "+
			"neighbouring block and grid sizes are fast too. Fastest: what was measured the fastest, where that is another."+
			" Speed-up: the recommended configuration over the baseline's fastest; (tied): it "+
			"can't be told from 1. The speed-up figure shows the fastest configuration of each kernel.", driftNote(d))}
}

// BestTables lists the recommended configurations, a table for each setup.
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
		"matrix", "kernel", ">block", ">grid", "parameters", "?fastest",
		">time (ms)", ">GFLOP/s", ">GB/s", ">roof (%)", "?>copy (%)", ">"+speedup,
	)
	if vendor {
		columns = append(columns, Columns(">× cuSPARSE")...)
	}
	return append(columns, Columns("?>tied", "?tied kernels")...)
}

func bestRow(d *analysis.Data, p *analysis.Panel, b *store.Best, vendor bool) []Cell {
	r := &b.Row
	measured := func(v float64) Cell { return rateCell(r, v).within(v*r.Time/r.Another.High, v*r.Time/r.Another.Low) }
	row := append([]Cell{Text(b.Matrix)}, configuration(r)...)
	row = append(row, Text(fastestInstead(p, b)), timeCell(r).within(1e3*r.Another.Low, 1e3*r.Another.High), measured(b.GFLOPS), measured(b.GBPS),
		measured(100*b.RoofFraction), measured(100*b.GBPS/copyRoof(d, b.Device)))

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
	return append(row, keyed(analysis.TieCount(b), float64(b.TieSize)), Text(strings.Join(d.Tied(b), ", ")))
}

// fastestInstead names what was measured the fastest, "" for the recommended one.
func fastestInstead(p *analysis.Panel, b *store.Best) string {
	f := analysis.Fastest(p.Rows)
	if f.Config == b.Config {
		return ""
	}
	return strings.TrimSpace(fmt.Sprintf("%s %d×%d %s", f.Kernel, f.Block, f.Grid, f.Params))
}

// copyRoof returns the bandwidth of a copy on a device in GB/s, NaN if it was not measured.
func copyRoof(d *analysis.Data, device string) float64 {
	for i := range d.Devices {
		if v := &d.Devices[i]; v.Label == device && v.Roof.Copy > 0 {
			return v.Roof.Copy
		}
	}
	return math.NaN()
}

// driftNote names the matrices whose ties were corrected for drift, "" if there are none.
func driftNote(d *analysis.Data) string {
	var names []string
	for _, s := range d.Drifts {
		if s.Significant && !slices.Contains(names, s.Matrix) {
			names = append(names, s.Matrix)
		}
	}

	if len(names) == 0 {
		return ""
	}
	return "Ties ignore the drift of the device, and listed times contain it, on " +
		strings.Join(names, ", ") + "."
}

// WinnerSheet has the winner map of each setup: the share of the best speed that each kernel has on
// each matrix, in its fastest configuration.
func WinnerSheet(d *analysis.Data) Sheet {
	s := Sheet{Stem: "winners", Title: "Winner map", Notes: notes(d, "The share of the best speed in percent, each kernel in "+
		"its fastest configuration. Bold: the fastest; =: it can't be told from that. Kernels by their geometric mean, "+
		"matrices by row length.")}
	s.Tables = perSetup(d, func(panels []analysis.Panel) Table {
		if c := analysis.NewContest(panels); len(c.Contenders) > 1 {
			return winnerTable(c)
		}
		return Table{}
	})
	return s
}

func winnerTable(c *analysis.Contest) Table {
	t := Table{Columns: Columns("matrix")}
	for i := range c.Contenders {
		t.Columns = append(t.Columns, Column{Name: c.Contenders[i].Kernel, Right: true})
	}
	share := func(x float64) Cell { return keyed(term.ShareOfBest(x), x) }

	for i := range c.Places {
		row := []Cell{Text(c.Places[i].Matrix)}
		for k := range c.Contenders {
			e := &c.Contenders[k].Entries[i]
			cell := missing
			if e.Row != nil {
				cell = share(e.Share)
			}
			if cell.Bold = e.Named; e.Tied && !e.Named {
				cell.Text = "= " + cell.Text
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	mean := []Cell{Text("geometric mean")}
	for i := range c.Contenders {
		mean = append(mean, share(c.Contenders[i].Mean))
	}
	t.Rows = append(t.Rows, mean)
	return t
}
