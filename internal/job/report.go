package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg"

	"spmvtune/configs"
	"spmvtune/internal/term"
	"spmvtune/plots"
	"spmvtune/plots/claims"
	"spmvtune/plots/data"
	"spmvtune/plots/figure"
	"spmvtune/plots/headline"
	"spmvtune/rule"
	"spmvtune/store"
	"spmvtune/store/compare"
)

// Options choose what a report holds. What they leave out is as the [report] section of the
// sweep says, or everything.
type Options struct {
	// Out is the folder that rule and report are written to.
	Out string
	// Version is that of the program.
	Version string
	// KeepRule keeps the rule that all trials teach in the database, and needs one: without a
	// verified trial there is no report.
	KeepRule bool
	// Figures are the ids of the figures to draw. If they are set, nothing else is written; those
	// of the sweep's section are all that its page has.
	Figures []string
	// Choice says which trials the report is about.
	Choice store.Choice
	// Published draws the papers' numbers beside the measured ones.
	Published *bool
	// Against is the database to compare with, Base its name for people.
	Against, Base string
	// Paper is the width of a column of a paper to draw for, 0 for the report itself.
	Paper vg.Length
	// Progress is told what is being done and, of what has parts, how many are done. It may be
	// nil.
	Progress func(what string, done, of int)

	alone bool // nothing but Figures is written
}

// at tells what is being done.
func (opt *Options) at(what string) {
	if opt.Progress != nil {
		opt.Progress(what, 0, 0)
	}
}

// A Report says what was written.
type Report struct {
	Page    string `json:"page"` // path of the HTML page or, for a paper and of figures alone, of their folder
	Figures int    `json:"figures"`
	Tables  int    `json:"tables"`
	// Headline says which kernel wins, by how much, and how sure that is.
	Headline []headline.Part `json:"headline"`
	// Warnings are what limits the report: figures without data, imprecise trials.
	Warnings []string `json:"warnings"`
}

// FromDatabases reports on one database or on several as one.
func FromDatabases(ctx context.Context, paths []string, opt Options) (r *Report, err error) {
	if _, err := figure.Choose(opt.Figures); err != nil {
		return nil, err
	}
	opt.at("reading " + term.Count(len(paths), "database", "databases"))
	var j *Job
	if len(paths) == 1 {
		j, err = Open(ctx, paths[0])
	} else {
		j, err = Gather(ctx, paths, opt.Choice)
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	return j.Finish(ctx, opt)
}

// Finish learns, judges the claims, and writes rule and report. It returns nil if opt keeps
// the rule and there is none.
//
// A report about a part of the trials has the rule that this part teaches. The rule's files
// hold the rule that all trials teach.
func (j *Job) Finish(ctx context.Context, opt Options) (r *Report, err error) {
	opt.alone = len(opt.Figures) > 0
	if !j.gathered {
		opt.complete(j.sweeps)
	}
	whole := opt.Choice.All()

	var learned *rule.Rule
	if (whole || opt.KeepRule) && !opt.alone {
		opt.at("learning the rule")
		if learned, err = j.Learn(ctx); err != nil {
			return nil, err
		}
		if learned == nil && opt.KeepRule {
			return nil, nil
		}
		if err := j.keep(ctx, learned, opt); err != nil {
			return nil, err
		}
	}

	part := j
	if !whole {
		if !j.gathered {
			if part, err = Gather(ctx, []string{j.db.Path()}, opt.Choice); err != nil {
				return nil, err
			}
			defer func() { err = errors.Join(err, part.Close()) }()
		}
		learned = nil
	}
	if learned == nil && (!opt.alone || figure.NeedRule(opt.Figures)) {
		opt.at("learning the rule")
		if learned, err = part.Learn(ctx); err != nil {
			return nil, err
		}
	}
	return part.report(ctx, learned, opt)
}

// keep writes a rule to the results folder and, if opt says so, to the database.
func (j *Job) keep(ctx context.Context, learned *rule.Rule, opt Options) error {
	if learned == nil || opt.Paper > 0 {
		return nil
	}
	if opt.KeepRule {
		if err := j.saveRule(ctx, learned); err != nil {
			return err
		}
	}
	return writeRule(opt.Out, learned)
}

// complete takes what is not set from the [report] section of the sweep that was run last.
func (opt *Options) complete(sweeps []store.Sweep) {
	if len(sweeps) == 0 {
		return
	}

	said := configs.ReportOf([]byte(sweeps[len(sweeps)-1].Text))
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

// report writes figures, tables and the page.
func (j *Job) report(ctx context.Context, learned *rule.Rule, opt Options) (*Report, error) {
	title, err := j.title(ctx)
	if err != nil {
		return nil, err
	}
	drawing := plots.Options{Title: title, Version: opt.Version, Figures: opt.Figures, Alone: opt.alone,
		Progress: func(done, of int) {
			if opt.Progress != nil {
				opt.Progress("drawing pictures", done, of)
			}
		}}
	if !opt.alone {
		if drawing.Notes, err = j.choiceNotes(ctx); err != nil {
			return nil, err
		}
	}
	drawn, err := j.drawn(ctx, learned, opt)
	if err != nil {
		return nil, err
	}

	var written *plots.Written
	page := filepath.Join(opt.Out, ReportFile)
	if opt.alone {
		page = filepath.Join(opt.Out, "figures")
	}
	if opt.Paper > 0 {
		page = filepath.Join(opt.Out, plots.PaperDir)
		written, err = plots.WritePaper(ctx, drawn, opt.Out, opt.Paper, drawing)
	} else {
		written, err = plots.Write(ctx, drawn, opt.Out, drawing)
	}
	if err != nil {
		return nil, fmt.Errorf("making the report: %w", err)
	}
	r := &Report{Page: page, Figures: stems(written.Files, "figures"), Tables: stems(written.Files, "tables"),
		Warnings: []string{}}
	for _, w := range written.Warnings {
		r.Warnings = append(r.Warnings, w.Error())
	}
	if opt.alone {
		return r, nil
	}
	r.Headline = headline.Of(drawn)
	return r, j.saveClaims(ctx, drawn.Claims)
}

// drawn is what the report is drawn from: everything is judged, replayed and compared here.
func (j *Job) drawn(ctx context.Context, learned *rule.Rule, opt Options) (*data.Report, error) {
	r, err := data.Read(ctx, j.db, j.rows, j.matrices, j.sweeps)
	if err != nil {
		return nil, err
	}
	r.Rule, r.Published, r.Base = learned, opt.Published != nil && *opt.Published, opt.Base
	if !opt.alone {
		opt.at("judging the claims")
		if r.Claims, err = claims.Judge(ctx, j.db, j.matrices); err != nil {
			return nil, err
		}
	}
	if figure.NeedSearches(opt.Figures) {
		if r.Searched, err = data.ReplaySearches(ctx, j.db, r); err != nil {
			return nil, err
		}
	}

	r.Against, err = j.against(ctx, opt)
	return r, err
}

// saveClaims keeps verdicts in a database that can be written and is not temporary.
func (j *Job) saveClaims(ctx context.Context, judged []claims.Judgement) error {
	if !j.writable {
		return nil
	}
	saved, err := claims.Saved(judged)
	if err != nil {
		return err
	}
	return j.db.SaveClaims(ctx, saved)
}

// against compares the database with the one that opt names, if it names one.
func (j *Job) against(ctx context.Context, opt Options) (r *compare.Result, err error) {
	if opt.Against == "" || opt.alone {
		return nil, nil
	}
	base, err := store.OpenCurrent(ctx, opt.Against)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, base.Close()) }()
	if r, err = compare.Compare(ctx, base, j.db, compare.Options{Threshold: 0.01}); err != nil {
		return nil, fmt.Errorf("comparing with %s: %w", opt.Base, err)
	}
	return r, nil
}

// title is the title of the last sweep or, of several sweeps on several devices, the devices.
func (j *Job) title(ctx context.Context) (string, error) {
	if len(j.sweeps) == 0 {
		return "", nil
	}
	devices, err := j.db.Devices(ctx)
	if err != nil {
		return "", err
	}
	if len(j.sweeps) == 1 || len(devices) == 1 {
		last := j.sweeps[len(j.sweeps)-1]
		return cmp.Or(last.Title, last.Name), nil
	}

	names := make([]string, len(devices))
	for i := range devices {
		names[i] = devices[i].Label
	}
	return strings.Join(names, " beside "), nil
}

// stems counts the files in a folder, each once in whatever formats it is.
func stems(files []string, folder string) int {
	names := map[string]bool{}
	for _, f := range files {
		if strings.HasPrefix(f, folder+"/") {
			names[strings.TrimSuffix(f, path.Ext(f))] = true
		}
	}
	return len(names)
}
