// SPDX-License-Identifier: Apache-2.0

// Package plots writes a report: figures, tables and a page, from what was read of a
// results database.
//
// Finish learns, judges and compares by means of analysis, and then draws. What draws does not query: its one
// input is an analysis.Data. And it does not decorate: the same data and version of the program give the same
// bytes, so nothing there reads a clock or walks a map in its order. Every file appears whole or not at all.
//
// Data flows one way through the rooms: analysis reads the store once and sorts it; figure
// turns it into pictures, by means of canvas (bars, lines, axes, colours, file
// formats); table turns it into tables; page puts pictures and tables on one HTML page.
package plots

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/panics"
	"example.org/spmvtune/plots/canvas"
	"example.org/spmvtune/plots/figure"
	"example.org/spmvtune/plots/page"
	"example.org/spmvtune/plots/table"
)

// Written says what a report consists of.
type Written struct {
	Files    []string // Sorted paths relative to the report's folder, with slashes.
	Warnings []error  // Caveats, and figures that were asked for and have no data.
}

// Write writes figures/*.{png,svg,pdf}, tables/*.{md,csv,tex} and report.html under dir, and
// removes what an earlier report has there and this one no longer makes. A figure without data is no
// error; where opt names it, it is a warning.
//
// For a paper it writes below PaperDir figures/*.{pdf,svg} without a title, as wide as a column, a figures/*.tex with the
// caption of each, and tables/*.tex. Pictures of single matrices are there only if opt names figures.
func Write(ctx context.Context, d *analysis.Data, dir string, opt Options) (*Written, error) {
	formats, folders := canvas.Formats, []string{"figures", "tables"}
	if opt.alone {
		folders = folders[:1]
	}
	if opt.Paper > 0 {
		defer canvas.ForPaper(opt.Paper)()
		dir, formats = filepath.Join(dir, PaperDir), canvas.PaperFormats
	}
	content, err := contentOf(d, opt)
	if err != nil {
		return nil, err
	}
	for _, sub := range folders {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o777); err != nil {
			return nil, fmt.Errorf("making the report's folder: %w", err)
		}
	}
	out := folderIn(dir)
	pictures := slices.DeleteFunc(content.Pictures(),
		func(p *canvas.Picture) bool { return p.Detail && opt.Paper > 0 && len(opt.Figures) == 0 })
	unique := uniqueNames()
	for _, p := range pictures {
		p.Name = unique(p.Name)
	}
	g, ctx := panics.NewGroup(ctx)
	g.Go(func() error { return savePictures(ctx, out, pictures, formats, &opt) })
	switch {
	case opt.Paper > 0:
		g.Go(func() error { return savePaper(out, content, pictures, opt.Paper) })
	case !opt.alone:
		g.Go(func() error { return saveText(out, content) })
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	written := &Written{Files: slices.Sorted(maps.Keys(out.made)), Warnings: content.Warnings}
	return written, out.finish(opt)
}

// contentOf draws what opt chooses.
func contentOf(d *analysis.Data, opt Options) (*page.Content, error) {
	chosen, err := figure.Choose(opt.Figures)
	if err != nil {
		return nil, err
	}
	content := &page.Content{Report: d, Title: opt.title, Version: opt.Version}
	if !opt.alone {
		content.Warnings = d.Missed()
	}
	for _, f := range chosen {
		drawn, warnings := f.Draw(d)
		if len(drawn.Pictures) > 0 {
			content.Figures = append(content.Figures, drawn)
		} else if len(warnings) == 0 && len(opt.Figures) > 0 { // otherwise they say why
			warnings = append(warnings, f.Lacks(d))
		}
		content.Warnings = append(content.Warnings, warnings...)
	}

	if !opt.alone {
		content.Sheets = table.Sheets(d)
	}
	return content, nil
}

// saveText writes the page and the tables.
func saveText(out *folder, content *page.Content) error {
	var html bytes.Buffer
	if err := content.Write(&html); err != nil {
		return fmt.Errorf("writing the HTML report: %w", err)
	}
	if err := out.Write("report.html", html.Bytes()); err != nil {
		return err
	}

	for _, s := range content.Sheets {
		file := "tables/" + s.Stem
		if err := errors.Join(out.Write(file+".md", s.Markdown()), out.Write(file+".csv", s.CSV())); err != nil {
			return err
		}
	}

	return nil
}

// savePictures writes each picture in these formats.
func savePictures(ctx context.Context, out *folder, pictures []*canvas.Picture, formats []string,
	opt *Options) error {
	var mu sync.Mutex
	done := 0
	g, ctx := panics.NewGroup(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for _, p := range pictures {
		g.Go(func() error {
			err := savePicture(ctx, out, p, formats)
			mu.Lock()
			defer mu.Unlock()
			done++
			opt.at("drawing pictures", done, len(pictures))
			return err
		})
	}
	return g.Wait()
}

// savePicture writes a picture in the formats.
func savePicture(ctx context.Context, out *folder, p *canvas.Picture, formats []string) error {
	for _, format := range formats {
		if err := ctx.Err(); err != nil {
			return err
		}
		encoded, err := p.Encode(format)
		if err != nil {
			return fmt.Errorf("drawing %s: %w", p.Name, err)
		}
		if err := out.Write("figures/"+p.Name+"."+format, encoded); err != nil {
			return err
		}
	}
	return nil
}
