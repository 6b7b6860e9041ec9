// SPDX-License-Identifier: Apache-2.0

// Package analysis is what happens after measuring, once for run, merge and report: it decides which
// configurations are tied, learns a rule, judges the papers' claims, and says in sentences what the
// results come to.
//
// Results opens its database once and reads trials and features once. Everything after that works on
// what was read. Data is what figures, tables and the page are drawn from; they see nothing else of a
// database. A Contest compares the fastest trials of kernels matrix by matrix, and Headline says who wins it.
// The package prints nothing and draws nothing: see plots.
package analysis

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"example.org/spmvtune/analysis/claims"
	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/files"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/rule"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/trial"
)

// The files of a results folder.
const (
	DatabaseFile = "results.db"
	RuleText     = "rule.txt"
	RuleJSON     = "rule.json"
	ReportFile   = "report.html"
)

// Results is a database with what was read from it.
type Results struct {
	db       *store.DB
	writable bool
	gathered bool         // db is a temporary copy of what was chosen from others
	close    func() error // nil if the database is the caller's

	rows     []store.Row
	matrices []trial.Matrix
	sweeps   []store.Sweep
	seen     []rule.Observation // nil until Observations is called
}

// Of decides the ties of an open database and reads it.
func Of(ctx context.Context, db *store.DB) (*Results, error) {
	_, err := db.DecideTies(ctx)
	return (&Results{db: db, writable: true}).read(ctx, err)
}

// Open is Of for the database at path, which Close closes. It updates a database of an older
// version. A database that cannot be written stays as it is: see OpenReadOnly.
func Open(ctx context.Context, path string) (*Results, error) {
	// OpenReadOnly goes first: opening to write would create a missing database.
	first, err := store.OpenReadOnly(path)
	if err == nil {
		err = first.Close()
	}
	if err != nil {
		return nil, err
	}
	if unix.Access(path, unix.W_OK) != nil || unix.Access(filepath.Dir(path), unix.W_OK) != nil { // SQLite needs both
		return OpenReadOnly(ctx, path)
	}

	db, err := store.Open(path)
	if err != nil {
		return nil, err
	}
	_, err = db.DecideTies(ctx)
	return (&Results{db: db, writable: true, close: db.Close}).read(ctx, err)
}

// OpenReadOnly is Open for a database that stays as it is: what it lacks is decided in a copy. See
// store.OpenCurrent.
func OpenReadOnly(ctx context.Context, path string) (*Results, error) {
	db, err := store.OpenCurrent(ctx, path)
	if err != nil {
		return nil, err
	}
	return (&Results{db: db, close: db.Close}).read(ctx, nil)
}

// OpenAll opens a database, or makes one of some trials of several, see Gather.
func OpenAll(ctx context.Context, paths []string, choice store.Choice) (*Results, error) {
	if len(paths) == 1 {
		return Open(ctx, paths[0])
	}
	return Gather(ctx, paths, choice)
}

// Gather makes one of several databases, or of some of their trials. It copies them and
// leaves them as they are. Close removes the copy.
func Gather(ctx context.Context, paths []string, choice store.Choice) (*Results, error) {
	folder, err := os.MkdirTemp("", "spmvtune-report-*")
	if err != nil {
		return nil, fmt.Errorf("making a folder for the report's database: %w", err)
	}
	db, err := store.Gather(ctx, filepath.Join(folder, DatabaseFile), paths, choice)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}

	remove := func() error { return errors.Join(db.Close(), os.RemoveAll(folder)) }
	return (&Results{db: db, gathered: true, close: remove}).read(ctx, nil)
}

// read reads the database of r. If that fails, or err says that something failed before, it
// closes the database.
func (r *Results) read(ctx context.Context, err error) (*Results, error) {
	var errs [3]error
	r.rows, errs[0] = r.db.Results(ctx, store.Filter{})
	r.matrices, errs[1] = r.db.Features(ctx)
	r.sweeps, errs[2] = r.db.Sweeps(ctx)
	if err = cmp.Or(err, errs[0], errs[1], errs[2]); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// Close closes the database, unless it is the caller's.
func (r *Results) Close() error {
	if r == nil || r.close == nil {
		return nil
	}
	return r.close()
}

// DB is the database.
func (r *Results) DB() *store.DB { return r.db }

// Sweeps are the sweeps that were run, the last one last.
func (r *Results) Sweeps() []store.Sweep { return r.sweeps }

// Part is what the results hold of a choice. It is r itself where the choice is everything, or where r was
// gathered by it; else it has to be closed, too.
func (r *Results) Part(ctx context.Context, choice store.Choice) (*Results, error) {
	if r.gathered || choice.All() {
		return r, nil
	}
	return Gather(ctx, []string{r.db.Path()}, choice)
}

// Section is the [report] section of the sweep that was run last. Results that were gathered are of no one sweep: their section is empty.
func (r *Results) Section() (section configs.Report) {
	if !r.gathered && len(r.sweeps) > 0 {
		section = r.sweeps[len(r.sweeps)-1].Report
	}
	return section
}

// Title is the title of the last of sweeps or, of several sweeps on several devices, the devices.
func (r *Results) Title(ctx context.Context, sweeps []store.Sweep) (string, error) {
	if len(sweeps) == 0 {
		return "", nil
	}
	devices, err := r.db.Devices(ctx)
	if err != nil {
		return "", err
	}
	last := sweeps[len(sweeps)-1]
	one := !slices.ContainsFunc(sweeps, func(s store.Sweep) bool { return s.Trials > 0 && s.Name != last.Name })
	if one || len(devices) == 1 {
		return cmp.Or(last.Title, last.Name), nil
	}

	return strings.Join(lists.Of(devices, func(d store.Device) string { return d.Label }), " beside "), nil
}

// Observations are the trials as a rule learns from them.
func (r *Results) Observations(ctx context.Context) ([]rule.Observation, error) {
	var err error
	if r.seen == nil {
		r.seen, err = rule.FromRows(ctx, r.db, r.rows, r.matrices)
	}
	return r.seen, err
}

// Unverified are the kernels whose output is not verified, which rules never choose.
func (r *Results) Unverified() (names []string) {
	unseen := lists.Where(r.rows, func(row store.Row) bool { return !row.Verified() })
	return lists.Distinct(unseen, func(row store.Row) string { return row.Kernel })
}

// Learn returns the rule that the results teach, nil if no trial is verified.
func (r *Results) Learn(ctx context.Context) (*rule.Rule, error) {
	seen, err := r.Observations(ctx)
	if err != nil {
		return nil, err
	}

	opt := rule.DefaultOptions
	opt.Test = r.TestClasses()
	learned, err := rule.Learn(ctx, seen, opt)
	if errors.Is(err, rule.ErrNoData) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("learning the rule: %w", err)
	}
	return learned, nil
}

// TestClasses are the classes of matrices that the sweeps keep for a final test.
func (r *Results) TestClasses() []string {
	tests := lists.Of(r.sweeps, func(s store.Sweep) []string { return configs.LearnOf([]byte(s.Text)).Test })
	return lists.Distinct(slices.Concat(tests...), func(class string) string { return class })
}

// SaveRule keeps a rule in the database.
func (r *Results) SaveRule(ctx context.Context, learned *rule.Rule) error {
	var text bytes.Buffer
	if err := learned.WriteJSON(&text); err != nil {
		return err
	}
	return r.db.SaveRule(ctx, store.SavedRule{Sweep: learned.Sweep, Learned: time.Now(), JSON: text.Bytes()})
}

// WriteRule writes a rule to a results folder, as text and as JSON.
func WriteRule(folder string, r *rule.Rule) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	for name, write := range map[string]func(io.Writer) error{RuleText: r.WriteText, RuleJSON: r.WriteJSON} {
		if err := files.WriteTo(filepath.Join(folder, name), write); err != nil {
			return err
		}
	}
	return nil
}

// JudgeClaims judges the papers' claims, and keeps the verdicts in a database that can be written and is not
// temporary.
func (r *Results) JudgeClaims(ctx context.Context) ([]claims.Judgement, error) {
	judged, err := claims.Judge(ctx, r.db, r.matrices)
	if err != nil || !r.writable {
		return judged, err
	}
	saved, err := claims.Saved(judged)
	if err != nil {
		return nil, err
	}
	return judged, r.db.SaveClaims(ctx, saved)
}
