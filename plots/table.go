package plots

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"spmvtune/internal/term"
	"spmvtune/store"
	"spmvtune/tuner/stat"
	"spmvtune/tuner/trial"
)

// A table is printed as Markdown, CSV, LaTeX and HTML.
type table struct {
	Title   string
	Columns []column
	Rows    [][]cell
	bold    map[spotAt]bool // cells that are printed bold
}

type spotAt struct{ row, column int }

func (t *table) embolden(row, column int) {
	if t.bold == nil {
		t.bold = map[spotAt]bool{}
	}
	t.bold[spotAt{row, column}] = true
}

type column struct {
	Name  string
	Right bool // numbers, aligned to the right
}

// A cell is text and what the column is sorted by; a NaN key sorts by the text.
type cell struct {
	Text string
	Key  float64
}

func words(s string) cell { return cell{s, math.NaN()} }

func integer(n int) cell {
	if n == 0 {
		return cell{missing, 0}
	}
	return cell{strconv.Itoa(n), float64(n)}
}

func count(n int) cell { return cell{term.Grouped(n), float64(n)} }

// bestNotes explain the columns of the best-configuration tables, in paragraphs.
func bestNotes(d *data) []string {
	return slices.DeleteFunc([]string{
		Twins(d.matrices),
		"Time: median with its 95% interval, ± the longer arm or, where they differ much, both arms; numbers are rounded to what it supports, " +
			"but not below two digits. GB/s: compulsory traffic of the format divided by time.",
		"Roof: share of the device's bandwidth, the highest of a read, a copy and a triad, measured at the start of each run" + d.firstRun() + ". " +
			"Copy: share of the copy's. Above 100%, the matrix came from caches, not from memory: a warm cache holds small ones.",
		"Tied: configurations that can't be told apart from the fastest by their samples, the listed one included; of these it is the most " +
			"robust, the one whose neighbouring block and grid sizes are fast too. " + d.driftNote() + "Speed-up: of the listed configuration over the fastest one of the baseline on the same matrix. " +
			"The figure of speed-ups takes the fastest configuration of each kernel, so that its ratios can be a little higher.",
	}, isEmpty)
}

func isEmpty(s string) bool { return s == "" }

// summaryNotes say what to know of the summary.
func summaryNotes(d *data) []string {
	return slices.DeleteFunc(append([]string{Twins(d.matrices)}, sentences(d.missed())...), isEmpty)
}

// firstRun says when that was, as far as the database knows.
func (d *data) firstRun() string {
	if len(d.sweeps) == 0 {
		return ""
	}
	first := slices.MinFunc(d.sweeps, func(a, b store.Sweep) int { return a.Started.Compare(b.Started) }).Started
	at := first.UTC().Format("2006-01-02 15:04 UTC")
	if len(d.sweeps) == 1 {
		return " of the sweep, the first at " + at
	}
	return ", the first at " + at
}

// bestTables are the best configurations, a table for each setup.
func bestTables(d *data) []table {
	var tables []table
	var last setup
	for i := range d.best {
		b := &d.best[i]
		s := setup{b.Device, string(b.Cache), b.Precision}
		if len(tables) == 0 || s != last {
			tables = append(tables, table{Title: d.words(s), Columns: bestColumns(d.baselineOf(b.Device))})
			last = s
		}
		t := &tables[len(tables)-1]
		t.Rows = append(t.Rows, bestRow(d, b))
	}
	return tables
}

func bestColumns(baseline string) []column {
	speedup := "speed-up"
	if baseline != "" {
		speedup = "× " + baseline
	}
	return []column{
		{"matrix", false}, {"kernel", false}, {"block", true}, {"grid", true}, {"parameters", false},
		{"time (ms)", true}, {"GFLOP/s", true}, {"GB/s", true}, {"roof (%)", true}, {"copy (%)", true}, {speedup, true}, {"× cuSPARSE", true}, {"tied", true},
	}
}

func bestRow(d *data, b *store.Best) []cell {
	rel := relative(&b.Row)
	measured := func(v float64) cell { return cell{rounded(v, v*rel), v} }
	p := d.panelOf(&b.Row)
	base := fastest(p.byKernel(d.baselineOf(b.Device)))
	library := p.fastestOf(func(r *store.Row) bool { return strings.HasPrefix(r.Kernel, "cusparse_") })
	return []cell{
		words(b.Matrix), words(b.Kernel), integer(b.Block), integer(b.Grid), words(b.Params.String()),
		timeCell(&b.Row), measured(b.GFLOPS), measured(b.GBPS), measured(100 * b.RoofFraction), measured(100 * b.GBPS / d.copyRoof(b.Device)),
		ratioCell(base, &b.Row), ratioCell(library, &b.Row), integer(b.TieSize),
	}
}

// copyRoof is the bandwidth of a copy on a device in GB/s, NaN if it was not measured.
func (d *data) copyRoof(device string) float64 {
	for i := range d.devices {
		if v := &d.devices[i]; v.Label == device && v.Roof.Copy > 0 {
			return v.Roof.Copy
		}
	}
	return math.NaN()
}

// panelOf returns the panel that r belongs to, an empty one if there is none.
func (d *data) panelOf(r *store.Row) *panel {
	for i := range d.panels {
		if p := &d.panels[i]; p.Matrix == r.Matrix && p.setup == (setup{r.Device, string(r.Cache), r.Precision}) {
			return p
		}
	}
	return &panel{}
}

// summaryTables say what the database holds.
func summaryTables(d *data) []table {
	tables := []table{deviceTable(d)}
	if t := deviceBests(d); len(t.Rows) > 0 {
		tables = append(tables, t)
	}
	tables = append(tables, statusTable(d))
	if len(d.aims()) > 0 {
		tables = append(tables, aimTable(d))
	}
	tables = append(tables, winsTable(d), matrixTable(d))
	if len(d.searched.outcomes) > 0 {
		tables = append(tables, searchTable(d.searched))
	}
	return tables
}

func deviceTable(d *data) table {
	t := table{Title: "Devices", Columns: []column{
		{"device", false}, {"backend", false}, {"units", true}, {"read (GB/s)", true}, {"copy (GB/s)", true}, {"triad (GB/s)", true},
		{"roof: highest", true}, {"at random (GB/s of float64)", true},
	}}
	rate := func(v float64) cell {
		if !(v > 0) {
			v = math.NaN() // not measured
		}
		return cell{significant(v, 3), v}
	}
	for i := range d.devices {
		v := &d.devices[i]
		t.Rows = append(t.Rows, []cell{
			words(v.Label), words(v.Backend), integer(v.Units), rate(v.Roof.Read), rate(v.Roof.Copy), rate(v.Roof.Triad), rate(v.Roof.Highest()), rate(v.Roof.Gather),
		})
	}
	return t
}

// statusTable counts trials by kernel and how they ended.
func statusTable(d *data) table {
	var names, states []string
	counts := map[[2]string]int{}
	for i := range d.rows {
		r := &d.rows[i]
		if !slices.Contains(names, r.Kernel) {
			names = append(names, r.Kernel)
		}
		if !slices.Contains(states, string(r.Status)) {
			states = append(states, string(r.Status))
		}
		counts[[2]string{r.Kernel, string(r.Status)}]++
	}
	sortKernels(names)
	slices.SortFunc(states, compareStatus)
	t := table{Title: "Trials by status", Columns: []column{{"kernel", false}}}
	for _, s := range states {
		t.Columns = append(t.Columns, column{s, true})
	}
	for _, n := range names {
		row := []cell{words(n)}
		for _, s := range states {
			row = append(row, count(counts[[2]string{n, s}]))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// compareStatus puts ok first, then the others by name.
func compareStatus(a, b string) int {
	switch {
	case a == b:
		return 0
	case a == string(trial.OK) || b != string(trial.OK) && a < b:
		return -1
	}
	return 1
}

// winsTable says how often each kernel was the best, and its geometric mean
// speed-up over the baseline.
func winsTable(d *data) table {
	t := table{Title: "Kernels", Columns: []column{{"kernel", false}, {"best on (matrix and setup)", true}, {"speed-up (geometric mean)", true}}}
	wins := map[string]int{}
	for i := range d.best {
		wins[d.best[i].Kernel]++
	}
	means := map[string]*stat.GeometricMean{}
	for i := range d.panels {
		p := &d.panels[i]
		for _, g := range p.gains(d.baselineOf(p.Device)) {
			if means[g.Row.Kernel] == nil {
				means[g.Row.Kernel] = new(stat.GeometricMean)
			}
			means[g.Row.Kernel].Add(g.Ratio)
		}
	}
	for _, name := range kernelsOf(d.panels) {
		mean := math.NaN()
		if m := means[name]; m != nil {
			mean = m.Value()
		}
		t.Rows = append(t.Rows, []cell{words(name), {fmt.Sprintf("%d of %d", wins[name], len(d.best)), float64(wins[name])}, {significant(mean, 3), mean}})
	}
	return t
}

func matrixTable(d *data) table {
	t := table{Title: "Matrices", Columns: []column{
		{"matrix", false}, {"class", false}, {"rows", true}, {"columns", true}, {"nonzeros", true},
		{"mean row", true}, {"longest row", true}, {"empty rows", true},
	}}
	twins := Twins(d.matrices) != ""
	if twins {
		t.Columns = append(t.Columns, column{"measured", false})
	}
	for i := range d.matrices {
		m := &d.matrices[i]
		row := []cell{
			words(m.Name), words(m.Class), count(m.Rows), count(m.Cols), count(m.Nonzeros),
			{significant(m.RowMean, 3), m.RowMean}, count(m.RowMax), count(m.EmptyRows),
		}
		if twins {
			row = append(row, words(measuredWords(m.Source)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
