// Package plots writes a report: figures, tables and a page, from what was read of a
// results database.
//
// It draws and does nothing else. It does not query: its one input is a data.Report, which
// is read, judged, learned and compared before. And it does not decorate: the same report
// and version of the program give the same bytes, so nothing here reads a clock or walks a
// map in its order. Every file appears whole or not at all.
//
// Data flows one way through its rooms: data reads the store once and sorts it; figure
// turns it into pictures, by means of canvas (bars, lines, axes, colours, file
// formats); table turns it into tables; page puts pictures and tables on one HTML page.
package plots

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"spmvtune/internal/base/panics"
	"spmvtune/plots/canvas"
	"spmvtune/plots/data"
	"spmvtune/plots/figure"
	"spmvtune/plots/page"
	"spmvtune/plots/table"
)

// Options choose what a report holds. The zero value is everything.
type Options struct {
	Title   string   // The heading of the report, "" for a plain one.
	Version string   // The program's version, printed in the report.
	Figures []string // The ids of figures. If it is empty, all are drawn.
	Alone   bool     // Nothing but these figures is written: page, tables and other figures stay.
	Notes   []error  // Notes that stand before the report's own.
	// Progress is told how many of the pictures are done. It may be nil. Calls do not overlap.
	Progress func(done, of int)
}

// Written says what a report consists of.
type Written struct {
	Files    []string // Sorted paths relative to the report's folder, with slashes.
	Warnings []error  // Caveats, and figures that were asked for and have no data.
}

// Write writes figures/*.{png,svg,pdf}, tables/*.{md,csv,tex} and report.html under dir, and
// removes what an earlier report has there and this one no longer makes. It does not draw
// pictures again that would not change. A figure without data is no error: report.html lists
// it with what would produce it, and where opt names it, it is a warning.
func Write(ctx context.Context, d *data.Report, dir string, opt Options) (*Written, error) {
	content, err := contentOf(d, opt)
	if err != nil {
		return nil, err
	}
	if err := makeFolders(dir, opt); err != nil {
		return nil, err
	}

	out := folderIn(dir)
	pictures := content.Pictures()
	name(pictures)

	g, ctx := panics.NewGroup(ctx)
	g.Go(func() error { return savePictures(ctx, out, pictures, canvas.Formats, opt.Progress) })
	if !opt.Alone {
		g.Go(func() error { return saveText(out, d, content) })
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	written := &Written{Files: out.sorted(), Warnings: content.Warnings}
	return written, out.finish(opt)
}

// contentOf draws what opt chooses.
func contentOf(d *data.Report, opt Options) (*page.Content, error) {
	chosen, err := figure.Choose(opt.Figures)
	if err != nil {
		return nil, err
	}
	content := &page.Content{Report: d, Title: opt.Title, Version: opt.Version}
	if !opt.Alone {
		content.Warnings = slices.Concat(opt.Notes, d.Missed())
	}

	if against := figure.Against(d); len(against.Pictures) > 0 && !opt.Alone {
		content.Figures = append(content.Figures, against)
	}
	for _, f := range chosen {
		drawn, warnings := f.Draw(d)
		if !drawn.Empty() {
			content.Figures = append(content.Figures, drawn)
		} else {
			content.Undrawn = append(content.Undrawn, f)
			if len(warnings) == 0 && len(opt.Figures) > 0 { // otherwise they say why
				warnings = append(warnings, f.Lacks(d))
			}
		}
		content.Warnings = append(content.Warnings, warnings...)
	}

	if !opt.Alone {
		content.Trees = figure.DrawTrees(d)
	}
	return content, nil
}

// saveText writes the page and the tables.
func saveText(out *folder, d *data.Report, content *page.Content) error {
	var html bytes.Buffer
	if err := content.Write(&html); err != nil {
		return fmt.Errorf("writing the HTML report: %w", err)
	}
	if err := out.Write("report.html", html.Bytes()); err != nil {
		return err
	}

	for _, s := range table.Sheets(d) {
		for _, form := range s.Forms() {
			if err := out.Write("tables/"+form.Name, form.Content); err != nil {
				return err
			}
		}
	}

	return nil
}

// name gives each picture a name of its own.
func name(pictures []*canvas.Picture) {
	unique := uniqueNames()
	for _, p := range pictures {
		p.Name = unique(p.Name)
	}
}

// savePictures writes each picture in these formats.
func savePictures(ctx context.Context, out *folder, pictures []*canvas.Picture, formats []string,
	progress func(done, of int)) error {
	var mu sync.Mutex
	done := 0
	tell := func() {
		mu.Lock()
		defer mu.Unlock()
		if done++; progress != nil {
			progress(done, len(pictures))
		}
	}

	g, ctx := panics.NewGroup(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, p := range pictures {
		g.Go(func() error {
			defer tell()
			return savePicture(ctx, out, p, formats)
		})
	}

	return g.Wait()
}

// savePicture writes a picture in those of the formats that the folder does not have.
func savePicture(ctx context.Context, out *folder, p *canvas.Picture, formats []string) error {
	drawn := p.Digest()
	for _, format := range formats {
		if err := ctx.Err(); err != nil {
			return err
		}
		name := "figures/" + p.Name + "." + format
		if out.has(name, drawn) {
			continue
		}
		encoded, err := p.Encode(format)
		if err != nil {
			return fmt.Errorf("drawing %s: %w", p.Name, err)
		}
		if err := out.write(name, encoded, drawn); err != nil {
			return err
		}
	}

	return nil
}
