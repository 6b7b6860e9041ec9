// Package plots turns a results database into what people show to others:
// figures, tables and a report.
//
// It refuses to do two things. It does not query: rows come from the typed
// readers of store, so that a figure and the view behind it can't disagree.
// And it does not decorate: the same database and version of the program give
// the same bytes, so nothing here reads a clock or walks a map in its order.
//
// Data flows one way. load reads the store once and sorts it; the draw function
// of each entry in Figures turns the data into pages; pages are rendered as PNG
// and SVG from the same drawing; report.html holds the SVGs, the tables and the
// learned rule. Every file appears whole or not at all.
package plots

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"spmvtune/plots/claims"
	"spmvtune/rule"
	"spmvtune/store"
	"spmvtune/store/compare"
)

// Options choose what a report holds. The zero value is everything.
type Options struct {
	Title   string   // heading of the report; "" for a plain one
	Version string   // of this program, printed in the report
	Figures []string // ids from Figures; empty: all of them

	// Published draws the papers' own numbers, hollow, beside what was measured.
	Published bool
	// Against says what became faster or slower since the database called Base; nil:
	// nothing to compare with.
	Against *compare.Result
	Base    string
	// Notes stand among the report's own, before them.
	Notes []error
}

// Written says what a report consists of.
type Written struct {
	Files    []string // relative to the report's folder, slash separated, sorted
	Warnings []error  // figures that were asked for and have no data, caveats
	Claims   []claims.Judgement
}

// Report writes figures/*.png, figures/*.svg, tables/*.{md,csv,tex} and report.html under
// dir from what db holds. rows are all its results, which are sorted where they are. r may
// be nil: the report then says that no rule was learned. A figure without data is no
// error: report.html lists it with what would produce it, and where opt names it, it is a
// warning.
func Report(ctx context.Context, db *store.DB, rows []store.Row, r *rule.Rule, dir string, opt Options) (*Written, error) {
	d, err := load(ctx, db, rows)
	if err != nil {
		return nil, fmt.Errorf("reading results: %w", err)
	}
	if len(opt.Figures) == 0 || slices.Contains(opt.Figures, convergenceID) {
		if err := d.search(ctx, db); err != nil {
			return nil, err
		}
	}
	return write(ctx, d, r, dir, opt)
}

// write is Report without the database.
func write(ctx context.Context, d *data, r *rule.Rule, dir string, opt Options) (*Written, error) {
	figures, err := choose(opt.Figures)
	if err != nil {
		return nil, err
	}
	d.rule, d.published = r, opt.Published
	out := &Written{Warnings: append(slices.Clone(opt.Notes), d.missed()...), Claims: d.claims}
	var pages []*page
	var undrawn []*Figure
	for _, f := range figures {
		drawn, warnings := f.draw(d)
		for _, p := range drawn {
			p.figure = f
			if p.twins = d.twinNote(p); p.twins != "" {
				p.Subtitle = strings.TrimSpace(p.Subtitle + " " + p.twins)
				p.wholePixels() // there may be one line more
			}
		}
		if len(drawn) == 0 {
			undrawn = append(undrawn, f)
			if len(warnings) == 0 && len(opt.Figures) > 0 { // otherwise they say why
				warnings = append(warnings, f.lacks(d))
			}
		}
		pages = append(pages, fewDetails(drawn)...)
		out.Warnings = append(out.Warnings, warnings...)
	}
	if opt.Against != nil {
		pages = append(drawAgainst(opt.Against, opt.Base), pages...)
	}
	pages = append(pages, drawTrees(d)...)
	name := uniqueNames()
	for _, p := range pages {
		p.Name = name(p.Name)
	}

	for _, sub := range []string{"figures", "tables"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o777); err != nil {
			return nil, fmt.Errorf("making the report's folder: %w", err)
		}
	}
	files := &files{dir: dir}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, p := range pages {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return p.save(files)
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}

	best := bestTables(d)
	for _, s := range sheets(d, best) {
		if err := s.write(files); err != nil {
			return nil, err
		}
	}
	if opt.Against != nil {
		changes, notes := againstTable(opt.Against, opt.Base)
		if err := files.write("tables/against.md", markdownPage("Against "+opt.Base, notes, []table{changes})); err != nil {
			return nil, err
		}
	}
	var html bytes.Buffer
	if err := writeHTML(&html, d, r, pages, undrawn, best, out.Warnings, opt); err != nil {
		return nil, fmt.Errorf("writing the HTML report: %w", err)
	}
	if err := files.write("report.html", html.Bytes()); err != nil {
		return nil, err
	}
	out.Files = files.sorted()
	return out, nil
}

// mostDetails is how many pages of single matrices a figure has: a corpus of hundreds
// would take the report minutes, for pictures that nobody looks through. A report on
// some of the matrices has theirs.
const mostDetails = 48

// fewDetails leaves out what is beyond that, and counts it in the last that stays.
func fewDetails(pages []*page) []*page {
	var kept []*page
	var last *page
	details := 0
	for _, p := range pages {
		if p.Detail {
			if details++; details > mostDetails {
				last.omitted++
				continue
			}
			last = p
		}
		kept = append(kept, p)
	}
	return kept
}

// choose returns the figures with these ids in the registry's order.
func choose(ids []string) ([]*Figure, error) {
	for _, id := range ids {
		if !slices.ContainsFunc(Figures, func(f Figure) bool { return f.ID == id }) {
			return nil, fmt.Errorf("unknown figure %q: there are %s", id, figureIDs())
		}
	}
	var chosen []*Figure
	for i := range Figures {
		if len(ids) == 0 || slices.Contains(ids, Figures[i].ID) {
			chosen = append(chosen, &Figures[i])
		}
	}
	return chosen, nil
}
