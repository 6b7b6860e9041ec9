// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/cli/command"
	"example.org/spmvtune/internal/cli/show"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/search"
	"example.org/spmvtune/tuner/trial"
)

// A tuned is the answer for a matrix.
type tuned struct {
	Matrix         string      `json:"matrix"`
	Device         string      `json:"device"`
	Cache          trial.Cache `json:"cache"`
	kernels.Config             // what to use, and By, as select names them
	By             string      `json:"by"`
	Rows           int         `json:"rows"`
	Cols           int         `json:"cols"`
	Nonzeros       int         `json:"nonzeros"`
	// Measured is how many configurations have a time, New how many of them this call measured, and Seconds how long that
	// took with repeat runs, but for loading the matrix.
	Measured int      `json:"measured"`
	New      int      `json:"new"`
	Seconds  float64  `json:"new_seconds"`
	Use      tunedRow `json:"use"`
	// Over is what Use is compared with, "" if that was not measured, Faster how many times as fast Use is, and Decided
	// whether another run will find it faster, or slower, too.
	Over    string  `json:"over"`
	Faster  float64 `json:"faster"`
	Decided bool    `json:"decided"`
	// Fewer are what to use for fewer products, at most two: the last of them down to one.
	Fewer []tunedRow `json:"fewer"`
	// Best are the fastest configurations of the fastest kernels, and what the rest of the answer names.
	Best []tunedRow `json:"best"`
	// Untried is how many configurations were not measured though they may be faster, Likeliest the one with the largest
	// chance, which is Chance.
	Untried   int     `json:"untried"`
	Likeliest string  `json:"likeliest"`
	Chance    float64 `json:"chance"`

	features *trial.Matrix
	over     *store.Row
	poor     bool // whether others kept the processor busy, or times don't tell what is the fastest
}

// A tunedRow is a configuration that was measured.
type tunedRow struct {
	Kernel  string  `json:"kernel"`
	Block   int     `json:"block"`
	Grid    int     `json:"grid"`
	Params  string  `json:"params"`
	Seconds float64 `json:"seconds"`
	Low     float64 `json:"low"`  // the interval in which another run finds the time
	High    float64 `json:"high"` // its upper end
	Share   float64 `json:"share_of_best"`
	Prepare float64 `json:"prepare_seconds"`
	// From is from how many products on a choice pays off over all that takes less preparation; 0 for what is not chosen.
	From float64 `json:"from_products,omitempty"`

	row *store.Row
}

// cost is how long some products of a configuration take, preparation included, in seconds.
func cost(r *store.Row, products float64) float64 { return r.Prepare + products*r.Time }

// chosenFor is the best configuration for a number of products.
func chosenFor(rows []store.Row, products float64) store.Row {
	return slices.MinFunc(rows, func(a, b store.Row) int { return cmp.Compare(cost(&a, products), cost(&b, products)) })
}

// worth is how many times as long the other way takes at least where a choice for fewer products is worth its words.
const worth = 1.05

// paysFrom is from how many products on r pays off over all that takes less preparation and longer; of r's own kernel,
// over what surely does.
func paysFrom(rows []store.Row, r *store.Row) float64 {
	from := 1.0
	for i := range rows {
		if o := &rows[i]; o.Prepare < r.Prepare && o.Time >= worth*r.Time && (o.Kernel != r.Kernel || analysis.Surely(o, r)) {
			from = max(from, math.Ceil((r.Prepare-o.Prepare)/(o.Time-r.Time)))
		}
	}
	return from
}

// below is what to use in place of last for fewer products than it pays off from: of what is about the best for the
// most of them, that which is the best for one.
func below(rows []store.Row, last *tunedRow) store.Row {
	products := last.From - 1
	rows = lists.Where(rows, func(r store.Row) bool {
		return r.Prepare < last.Prepare && (r.Kernel != last.Kernel || analysis.Surely(&r, last.row))
	})
	best := chosenFor(rows, products)
	return chosenFor(lists.Where(rows, func(r store.Row) bool { return cost(&r, products) < worth*cost(&best, products) }), 1)
}

// mostKernels is how many kernels are listed, mostFewer how many choices for fewer products.
const mostKernels, mostFewer = 5, 2

// newTuned makes the answer of all good trials on a matrix in one place, of which named is the best for many products.
func newTuned(m *trial.Matrix, p analysis.Panel, named *store.Row, did tuning, products int) tuned {
	f, rows := &m.Features, p.Rows
	a := tuned{Matrix: m.Name, Device: p.Device, Cache: p.Cache, By: "measurement", Rows: f.Rows, Cols: f.Cols,
		Nonzeros: f.Nonzeros, Measured: len(rows), New: did.measured, Seconds: did.seconds, Fewer: []tunedRow{}, features: m}
	fastest := analysis.Fastest(rows)
	row := func(r *store.Row) tunedRow {
		return tunedRow{r.Kernel, r.Block, r.Grid, r.Params.String(), r.Time, r.Another.Low, r.Another.High,
			fastest.Time / r.Time, r.Prepare, 0, r}
	}
	choice := func(r *store.Row) tunedRow {
		c := row(r)
		c.From = paysFrom(rows, r)
		return c
	}
	if products > 0 {
		best := chosenFor(rows, float64(products))
		named = &best
	}
	a.Over, a.over = "cuSPARSE", p.CuSPARSE()
	if a.over == nil {
		a.Over, a.over = search.Plain, p.Best(search.Plain)
	}
	if a.over == nil {
		a.Over = ""
	} else {
		faster := analysis.Surely(a.over, named)
		if !faster && products == 0 {
			named = a.over
		}
		a.Faster = a.over.Time / named.Time
		a.Decided = named.Factor > 0 && (faster || analysis.Surely(named, a.over))
	}
	a.Use = choice(named)
	a.Config = a.Use.row.Config
	for last := &a.Use; last.From > 1 && len(a.Fewer) < mostFewer; last = &a.Fewer[len(a.Fewer)-1] {
		less := below(rows, last)
		a.Fewer = append(a.Fewer, choice(&less))
	}
	if did.end != nil && did.end.Worthy > 0 {
		a.Untried, a.Likeliest, a.Chance = did.end.Worthy, did.end.Config.String(), did.end.Chance
	}
	var host trial.HostUse
	for i := range rows {
		host.Add(rows[i].Host)
	}
	a.poor = host.Crowded() || products == 0 && a.Use.Share*worth < 1
	a.list(&p, row)
	return a
}

// list lists the fastest kernels, and whatever else is named.
func (a *tuned) list(p *analysis.Panel, row func(*store.Row) tunedRow) {
	a.Best = lists.Of(p.Kernels(), func(name string) tunedRow { return row(p.Best(name)) })
	byTime := func(a, b tunedRow) int { return cmp.Compare(a.Seconds, b.Seconds) }
	slices.SortStableFunc(a.Best, byTime)
	a.Best = a.Best[:min(mostKernels, len(a.Best))]
	named := append([]tunedRow{a.Use}, a.Fewer...)
	if a.over != nil {
		named = slices.Insert(named, 0, row(a.over))
	}
	for _, r := range named {
		i := slices.IndexFunc(a.Best, func(o tunedRow) bool { return o.row.Config == r.row.Config })
		if i < 0 {
			i, a.Best = len(a.Best), append(a.Best, r)
		}
		a.Best[i] = r // which knows from how many products on
	}
	slices.SortStableFunc(a.Best, byTime)
}

// withTimes are the trials on the matrix of a hash that have a time, on the device on which one was asked for last.
func withTimes(rows []store.Row, hash string) []store.Row {
	device, last := "", int64(-1)
	rows = slices.DeleteFunc(slices.Clone(rows), func(r store.Row) bool {
		is := r.Result.Matrix == hash && r.Status == trial.OK && !r.Partial() && r.Time > 0
		if asked := max(r.LastRequested, r.At.UnixMilli()); is && asked > last {
			device, last = r.Device, asked
		}
		return !is
	})
	return slices.DeleteFunc(rows, func(r store.Row) bool { return r.Device != device })
}

// tunedOn are the answers for a matrix, one for each precision and cache state in which something was measured.
func tunedOn(rows []store.Row, m *trial.Matrix, did tuning, products int) []tuned {
	panels := analysis.New(withTimes(rows, m.Hash), nil, nil, nil).Panels
	return lists.Of(panels, func(p analysis.Panel) tuned {
		return newTuned(m, p, analysis.Fastest(p.Rows), did, products)
	})
}

// answers makes the answers for all matrices of which something was measured, now or before, and says why others have
// none.
func (t *tuneCommand) answers(ctx context.Context) ([]tuned, error) {
	rows, err := t.db.Results(ctx, store.Filter{Precision: kernels.Precision(t.precision), Cache: trial.Cache(t.cache)})
	list := []tuned{}
	for i := range t.matrices {
		m, why := &t.matrices[i], "no kernel was measured"
		here := tunedOn(rows, m, *cmp.Or(t.done[m.Hash], &tuning{}), t.products)
		if list = append(list, here...); len(here) > 0 {
			continue
		}
		for _, r := range rows {
			if r.Result.Matrix == m.Hash && r.Status != trial.OK {
				why = r.Message
			}
		}
		t.without = append(t.without, m.Name+": "+why)
	}
	return list, err
}

// printTuned prints answers, for programs where out says so.
func printTuned(w io.Writer, out *command.Output, list []tuned, products int) error {
	switch out.Format {
	case "json":
		return out.Write(w, list)
	case "csv", "markdown":
		return out.Write(w, lines(list))
	}
	for i := range list {
		if i > 0 {
			fmt.Fprintln(w)
		}
		list[i].print(w, products)
	}
	return nil
}

// A tunedLine is a line of a table for programs.
type tunedLine struct {
	Matrix    string            `json:"matrix"`
	Device    string            `json:"device"`
	Precision kernels.Precision `json:"precision"`
	Cache     trial.Cache       `json:"cache"`
	Use       bool              `json:"use"`     // whether it is what to use
	Decided   bool              `json:"decided"` // that of the answer
	tunedRow
}

// lines lists all that is listed of answers.
func lines(list []tuned) []tunedLine {
	return slices.Concat(lists.Of(list, func(a tuned) []tunedLine {
		return lists.Of(a.Best, func(r tunedRow) tunedLine {
			return tunedLine{a.Matrix, a.Device, a.Precision, a.Cache, r.row.Config == a.Config, a.Decided, r}
		})
	})...)
}

// print prints an answer for people.
func (a *tuned) print(w io.Writer, products int) {
	f := &a.features.Features
	term.Print(w, fmt.Sprintf("%s: %s × %s, %s; rows of %s to %s (mean %s)", a.Matrix, term.Grouped(a.Rows),
		term.Grouped(a.Cols), term.Count(a.Nonzeros, "nonzero", "nonzeros"), term.Grouped(f.RowMin),
		term.Grouped(f.RowMax), term.Digits(f.RowMean)))
	term.Print(w, fmt.Sprintf("%s, %s cache, %s: %s", analysis.ShortDevice(a.Device), a.Cache, a.Precision, a.effort()))
	t := term.Table{Columns: []string{"kernel", "block", "grid", "parameters", "time", "", "of best",
		"preparing, in products"}, Less: []string{"preparing, in products", "parameters"}}
	for _, r := range a.Best {
		within := cmp.Or(analysis.Relative(r.row), math.NaN())
		t.Add(r.Kernel, show.Size(r.Block), show.Size(r.Grid), r.Params,
			term.Quantity(term.Seconds(r.Seconds)), term.Quantity("± "+term.Difference(within)),
			term.Quantity(term.OfBest(r.Share)+"%"), term.Quantity(inProducts(r.Prepare/r.Seconds)))
	}
	t.DropEmpty()
	t.Print(w)
	for _, line := range a.advice(products) {
		term.Print(w, line)
	}
	if a.poor {
		term.Print(w, "These times are poor, as on a busy machine: tune --out FOLDER measures again, into a new folder.")
	}
	if a.Untried > 0 {
		term.Print(w, fmt.Sprintf("Not tried: %s that may be faster, most likely %s.",
			term.Count(a.Untried, "configuration", "configurations"), a.Likeliest))
	}
}

// effort says how much was measured.
func (a *tuned) effort() string {
	text := term.Count(a.Measured, "configuration", "configurations")
	switch {
	case a.New == 0:
		return text + ", measured before"
	case a.New < a.Measured:
		return fmt.Sprintf("%s, %d of them measured now in %s", text, a.New, term.Seconds(a.Seconds))
	}
	return fmt.Sprintf("%s measured in %s", text, term.Seconds(a.Seconds))
}

// inProducts prints a number of products with one digit: preparing is measured once, or a few times.
func inProducts(n float64) string {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(n, 'g', 1, 64), 64)
	if rounded < 100 {
		return term.Plain(rounded)
	}
	return term.Grouped(int(rounded))
}

// advice says what to use, why, and from how many products on, and in a second line what to use for fewer.
func (a *tuned) advice(products int) (lines []string) {
	text := "Use " + shortConfig(a.Use.row)
	if products > 0 {
		text += fmt.Sprintf(" for %s", term.Count(products, "product", "products"))
	}
	itself := a.over != nil && a.over.Config == a.Use.row.Config
	if products == 0 && !itself && a.Best[0].row.Config != a.Use.row.Config {
		text += ", as fast as the first by all that was measured"
	}
	over := strings.Replace(a.Over, search.Plain, search.Plain+", on one core", 1)
	switch {
	case a.over == nil || itself && products > 0:
	case itself:
		text += ": nothing that was measured is clearly faster"
	case a.Decided || a.Use.row.Factor == 0:
		text += ": " + analysis.AsFast(analysis.Ratio(a.over, a.Use.row), over)
	default:
		text += ": within noise as fast as " + over
	}
	if from := a.Use.From; from > 1 {
		text += fmt.Sprintf("; preparing it pays off from about %s products on", inProducts(from))
	}
	if a.Use.row.Factor == 0 {
		text += "; ± is within this run, and another may find otherwise"
	}
	lines = append(lines, text+".")
	var fewer []string
	for i, r := range a.Fewer {
		name := r.Kernel // the table has the rest
		if len(lists.Where(a.Best, func(o tunedRow) bool { return o.Kernel == name })) > 1 {
			name = shortConfig(r.row)
		}
		if i < len(a.Fewer)-1 {
			name += fmt.Sprintf(" from %s on", inProducts(r.From))
		}
		fewer = append(fewer, name)
	}
	if len(fewer) > 0 { // two at most
		lines = append(lines, "For fewer products: "+strings.Join(fewer, ", below that ")+".")
	}
	return lines
}

// shortConfig prints a configuration without its precision, which the answer has said.
func shortConfig(r *store.Row) string {
	return strings.Replace(r.Config.String(), " "+string(r.Precision), "", 1)
}
