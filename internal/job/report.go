package job

import (
	"context"
	"errors"
	"fmt"

	"spmvtune/internal/base/term"
	"spmvtune/plots/figure"
	"spmvtune/plots/headline"
	"spmvtune/rule"
	"spmvtune/store"
)

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
	if r, err = j.Finish(ctx, opt); r != nil {
		r.Warnings = append(measuredTwice(j.db.Twice(), paths[0]), r.Warnings...)
	}
	return r, err
}

// measuredTwice says which of several measurements of the same trials count.
func measuredTwice(list []store.Twice, first string) (warnings []string) {
	for _, t := range list {
		warnings = append(warnings, fmt.Sprintf("%s in %s and in a database before it, measured anew: what was measured "+
			"first counts. Left out: %d of %s, %d of the others; `%s` compares them",
			term.Count(t.Won+t.Lost, "trial is", "trials are"), t.Name, t.Lost, t.Name, t.Won,
			term.Shell("spmvtune", "report", t.Name, "--against", first)))
	}
	return warnings
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
	if opt.title, err = part.title(ctx, j.sweeps); err != nil {
		return nil, err
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
