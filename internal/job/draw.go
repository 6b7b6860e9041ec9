package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"spmvtune/plots"
	"spmvtune/plots/claims"
	"spmvtune/plots/data"
	"spmvtune/plots/figure"
	"spmvtune/plots/headline"
	"spmvtune/rule"
	"spmvtune/store"
	"spmvtune/store/compare"
)

// report writes figures, tables and the page.
func (j *Job) report(ctx context.Context, learned *rule.Rule, opt Options) (*Report, error) {
	drawing := plots.Options{Title: opt.title, Version: opt.Version, Figures: opt.Figures, Alone: opt.alone,
		Progress: func(done, of int) {
			if opt.Progress != nil {
				opt.Progress("drawing pictures", done, of)
			}
		}}
	if !opt.alone {
		var err error
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

// title is the title of the last of sweeps or, of several sweeps on several devices, the devices.
func (j *Job) title(ctx context.Context, sweeps []store.Sweep) (string, error) {
	if len(sweeps) == 0 {
		return "", nil
	}
	devices, err := j.db.Devices(ctx)
	if err != nil {
		return "", err
	}
	last := sweeps[len(sweeps)-1]
	one := !slices.ContainsFunc(sweeps, func(s store.Sweep) bool { return s.Trials > 0 && s.Name != last.Name })
	if one || len(devices) == 1 {
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
