// SPDX-License-Identifier: Apache-2.0

package plots

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/plots/figure"
	"example.org/spmvtune/rule"
	"example.org/spmvtune/store"
	"example.org/spmvtune/store/compare"
	"example.org/spmvtune/tuner/search"
)

// Options choose what a report holds. What they leave out is as the [report] section of the sweep says, or
// everything.
type Options struct {
	// Out is the folder that rule and report are written to.
	Out string
	// Version is that of the program, printed in the report.
	Version string
	// KeepRule keeps the rule that all trials teach in the database, and needs one: without a verified trial
	// there is no report.
	KeepRule bool
	// Figures are the ids of the figures to draw. If they are set, nothing else is written; those of the
	// sweep's section are all that its page has.
	Figures []string
	// Choice says which trials the report is about.
	Choice store.Choice
	// Published draws the papers' numbers beside the measured ones.
	Published *bool
	// Against is the database to compare with, Base its name for people.
	Against, Base string
	// Paper is the width of a column of a paper to draw for, 0 for the report itself.
	Paper vg.Length
	// Progress is told what is being done and, of what has parts, how many are done. It may be nil. Calls do
	// not overlap.
	Progress func(what string, done, of int)

	title string // the heading of the report, "" for a plain one
	alone bool   // nothing but Figures is written: page, tables and other figures stay
}

// at tells what is being done.
func (opt *Options) at(what string, done, of int) {
	if opt.Progress != nil {
		opt.Progress(what, done, of)
	}
}

// complete takes what is not set from the [report] section of the sweep that was run last.
func (opt *Options) complete(of *analysis.Results) {
	said := of.Section()
	for _, list := range []struct {
		of   *[]string
		from []string
	}{
		{&opt.Figures, said.Figures},
		{&opt.Choice.Kernels, said.Kernels},
		{&opt.Choice.Matrices, said.Matrices},
		{&opt.Choice.Devices, said.Devices},
		{&opt.Choice.Precisions, said.Precisions},
		{&opt.Choice.Caches, said.Caches},
	} {
		if len(*list.of) == 0 {
			*list.of = list.from
		}
	}
	if opt.Published == nil {
		opt.Published = &said.Published
	}
}

// A Report says what was written.
type Report struct {
	Page    string `json:"page"` // path of the HTML page or, for a paper and of figures alone, of their folder
	Figures int    `json:"figures"`
	Tables  int    `json:"tables"`
	// Headline says which kernel wins, by how much, and how sure that is.
	Headline []analysis.HeadlinePart `json:"headline"`
	// Warnings are what limits the report: figures without data, imprecise trials.
	Warnings []string `json:"warnings"`
}

// FromDatabases reports on one database or on several as one.
func FromDatabases(ctx context.Context, paths []string, opt Options) (r *Report, err error) {
	if _, err := figure.Choose(opt.Figures); err != nil {
		return nil, err
	}
	opt.at("reading "+term.Count(len(paths), "database", "databases"), 0, 0)
	results, err := analysis.OpenAll(ctx, paths, opt.Choice)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, results.Close()) }()
	if r, err = Finish(ctx, results, opt); r != nil {
		r.Warnings = append(measuredTwice(results.DB().Twice(), paths[0]), r.Warnings...)
	}
	return r, err
}

// measuredTwice says which of several measurements of the same trials count.
func measuredTwice(list []store.Twice, first string) []string {
	return lists.Of(list, func(t store.Twice) string {
		return fmt.Sprintf("%s in %s and in a database before it, measured anew: what was measured "+
			"first counts. Left out: %d of %s, %d of the others; `%s` compares them",
			term.Count(t.Won+t.Lost, "trial is", "trials are"), t.Name, t.Lost, t.Name, t.Won,
			term.Shell("spmvtune", "report", t.Name, "--against", first))
	})
}

// Finish learns, judges the claims, and writes rule and report. It returns nil if opt keeps the rule and there
// is none.
//
// A report about a part of the trials has the rule that this part teaches. The rule's files hold the rule that
// all trials teach.
func Finish(ctx context.Context, all *analysis.Results, opt Options) (r *Report, err error) {
	opt.alone = len(opt.Figures) > 0
	opt.complete(all)

	var learned *rule.Rule
	if (opt.Choice.All() || opt.KeepRule) && !opt.alone {
		opt.at("learning the rule", 0, 0)
		if learned, err = all.Learn(ctx); err != nil {
			return nil, err
		}
		if learned == nil && opt.KeepRule {
			return nil, nil
		}
		if err := keep(ctx, all, learned, opt); err != nil {
			return nil, err
		}
	}

	part, err := all.Part(ctx, opt.Choice)
	if err != nil {
		return nil, err
	}
	if part != all {
		defer func() { err = errors.Join(err, part.Close()) }()
	}
	if !opt.Choice.All() {
		learned = nil
	}
	if learned == nil && (!opt.alone || figure.NeedRule(opt.Figures)) {
		opt.at("learning the rule", 0, 0)
		if learned, err = part.Learn(ctx); err != nil {
			return nil, err
		}
	}
	if opt.title, err = part.Title(ctx, all.Sweeps()); err != nil {
		return nil, err
	}
	d, err := dataOf(ctx, part, learned, opt)
	if err != nil {
		return nil, err
	}
	return write(ctx, d, opt)
}

// keep writes a rule to the results folder and, if opt says so, to the database. What was tuned, few matrices and other
// kernels on each, leaves none, which select would go by: who wants one says learn.
func keep(ctx context.Context, results *analysis.Results, learned *rule.Rule, opt Options) error {
	if learned == nil || opt.Paper > 0 || learned.Sweep == search.Tune {
		return nil
	}
	if opt.KeepRule {
		if err := results.SaveRule(ctx, learned); err != nil {
			return err
		}
	}
	return analysis.WriteRule(opt.Out, learned)
}

// dataOf is what the report is drawn from: everything is judged, replayed and compared here.
func dataOf(ctx context.Context, results *analysis.Results, learned *rule.Rule, opt Options) (*analysis.Data, error) {
	d, err := results.Data(ctx)
	if err != nil {
		return nil, err
	}
	d.Rule, d.Published, d.Base = learned, opt.Published != nil && *opt.Published, opt.Base
	if !opt.alone {
		opt.at("judging the claims", 0, 0)
		if d.Claims, err = results.JudgeClaims(ctx); err != nil {
			return nil, err
		}
	}
	d.Against, err = against(ctx, results.DB(), opt)
	return d, err
}

// against compares a database with the one that opt names, if it names one.
func against(ctx context.Context, db *store.DB, opt Options) (r *compare.Result, err error) {
	if opt.Against == "" || opt.alone {
		return nil, nil
	}
	base, err := store.OpenCurrent(ctx, opt.Against)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, base.Close()) }()
	if r, err = compare.Compare(ctx, base, db, compare.Options{Threshold: 0.01}); err != nil {
		return nil, fmt.Errorf("comparing with %s: %w", opt.Base, err)
	}
	return r, nil
}

// write writes figures, tables and the page.
func write(ctx context.Context, d *analysis.Data, opt Options) (*Report, error) {
	page := filepath.Join(opt.Out, analysis.ReportFile)
	if opt.alone {
		page = filepath.Join(opt.Out, "figures")
	}
	if opt.Paper > 0 {
		page = filepath.Join(opt.Out, PaperDir)
	}
	written, err := Write(ctx, d, opt.Out, opt)
	if err != nil {
		return nil, fmt.Errorf("making the report: %w", err)
	}
	r := &Report{Page: page, Figures: count(written.Files, "figures", ".svg"),
		Tables:   count(written.Files, "tables", ".csv") + count(written.Files, "tables", ".tex"),
		Warnings: lists.Of(written.Warnings, error.Error)}
	if !opt.alone {
		r.Headline = analysis.Headline(d)
	}
	return r, nil
}

// count counts the files in a folder that end so.
func count(files []string, folder, end string) int {
	return len(lists.Where(files, func(f string) bool {
		return strings.HasPrefix(f, folder+"/") && strings.HasSuffix(f, end)
	}))
}
