package table

import (
	"math"
	"slices"
	"strings"

	"spmvtune/analysis"
	"spmvtune/internal/base/term"
	"spmvtune/store"
)

// BestNotes explain the columns of the best-configuration tables, in paragraphs.
func BestNotes(d *analysis.Data) []string {
	return slices.DeleteFunc([]string{
		analysis.Twins(d.Matrices),
		"Time: with the interval in which another run finds it (95%), ± the longer arm or, if they differ much, " +
			"both arms. Numbers are rounded to the digits that the interval supports, at least two. GB/s: compulsory " +
			"traffic of the format divided by time.",
		"Roof: share of the device's bandwidth, the highest of a read, a copy and a triad, measured at the start " +
			"of each run" + firstRun(d) + ". Copy: share of the copy's. Above 100%, the matrix came from caches, not " +
			"from memory: a warm cache holds small ones.",
		"Tied: the number of configurations that can't be told from the fastest, including the listed one (≥: at " +
			"least, there were no repeats), and " +
			"the other kernels among them. A ratio with (tied) can't be told from 1. The listed one is the most " +
			"robust: its neighbouring block and grid sizes are fast too. " +
			driftNote(d) +
			"Speed-up: the listed configuration over the baseline's fastest on the same matrix. The speed-up " +
			"figure shows the fastest configuration of each kernel, so its ratios can be slightly higher.",
	}, isEmpty)
}

// firstRun says when the first run started, if that is known.
func firstRun(d *analysis.Data) string {
	if len(d.Sweeps) == 0 {
		return ""
	}
	first := slices.MinFunc(d.Sweeps, func(a, b store.Sweep) int { return a.Started.Compare(b.Started) }).Started
	at := first.UTC().Format("2006-01-02 15:04 UTC")
	if len(d.Sweeps) == 1 {
		return " of the sweep, the first at " + at
	}
	return ", the first at " + at
}

// BestTables lists the best configurations, a table for each setup.
func BestTables(d *analysis.Data) []Table {
	var tables []Table
	var last analysis.Setup
	vendor := false // was measured there; to find out takes a look at all trials
	for i := range d.Best {
		b := &d.Best[i]
		s := analysis.SetupOf(&b.Row)
		if len(tables) == 0 || s != last {
			vendor, last = library(d, b.Device), s
			tables = append(tables, Table{Title: d.Words(s), About: s, Columns: bestColumns(d.BaselineOf(b.Device), vendor)})
		}
		t := &tables[len(tables)-1]
		t.Rows = append(t.Rows, bestRow(d, b, vendor))
		bestIntervals(d, b, t, vendor)
	}

	return tables
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
	return append(columns, Columns("?>tied", "?tied kernels")...)
}

// library reports whether cuSPARSE was measured on a device.
func library(d *analysis.Data, device string) bool {
	return slices.ContainsFunc(d.Panels, func(p analysis.Panel) bool { return p.Device == device && p.CuSPARSE() != nil })
}

func bestRow(d *analysis.Data, b *store.Best, vendor bool) []Cell {
	rel := analysis.Relative(&b.Row)
	measured := func(v float64) Cell { return Cell{term.Rounded(v, v*rel), v} }
	p := d.PanelOf(&b.Row)
	base := analysis.Fastest(p.ByKernel(d.BaselineOf(b.Device)))
	row := []Cell{
		Text(b.Matrix), Text(b.Kernel), integer(b.Block), integer(b.Grid), Text(b.Params.String()),
		timeCell(&b.Row), measured(b.GFLOPS), measured(b.GBPS), measured(100 * b.RoofFraction),
		measured(100 * b.GBPS / copyRoof(d, b.Device)),
		ratioCell(base, &b.Row),
	}
	if vendor {
		row = append(row, ratioCell(p.CuSPARSE(), &b.Row))
	}
	return append(row, Cell{analysis.TieCount(b), float64(b.TieSize)}, Text(strings.Join(d.Tied(b), ", ")))
}

// bestIntervals gives the numbers of the last row their intervals.
func bestIntervals(d *analysis.Data, b *store.Best, t *Table, vendor bool) {
	r := &b.Row
	t.between(timeColumn, 1e3*r.Another.Low, 1e3*r.Another.High)
	for i, v := range []float64{r.GFLOPS, r.GBPS, 100 * r.RoofFraction, 100 * r.GBPS / copyRoof(d, r.Device)} {
		t.between(timeColumn+1+i, v*r.Time/r.Another.High, v*r.Time/r.Another.Low)
	}

	p := d.PanelOf(r)
	bases := []*store.Row{analysis.Fastest(p.ByKernel(d.BaselineOf(r.Device)))}
	if vendor {
		bases = append(bases, p.CuSPARSE())
	}
	for i, base := range bases {
		if base != nil && base.Config != r.Config {
			_, low, high := analysis.Ratio(base, r)
			t.between(timeColumn+5+i, low, high)
		}
	}
}

// timeColumn is the column of times, which those of rates and ratios follow.
const timeColumn = 5

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
		strings.Join(names, ", ") + ". "
}
