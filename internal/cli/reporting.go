package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"spmvtune/configs"
	"spmvtune/internal/cli/command"
	"spmvtune/internal/term"
	"spmvtune/plots"
	"spmvtune/rule"
	"spmvtune/store"
	"spmvtune/store/compare"
)

// reporting is what a report is to hold. The zero value is what a sweep's [report]
// section says, or everything.
type reporting struct {
	out, against            string
	figures                 []string
	choice                  store.Choice
	published, publishedSet bool
}

// reportMemory is how many bytes a report may take before garbage is collected more
// eagerly: reading a million trials leaves much of it.
const reportMemory = 1000 << 20

// make reports on the databases at paths.
func (r reporting) make(ctx context.Context, w io.Writer, paths []string) (err error) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(reportMemory)
	}
	if len(paths) == 1 {
		if err := r.fill(ctx, paths[0]); err != nil {
			return err
		}
	}
	beside := filepath.Dir(paths[0])
	if len(paths) > 1 {
		beside = filepath.Join(command.OutRoot, "report")
	}
	r.out = cmp.Or(r.out, beside)
	var db *store.DB
	remove := func() error { return db.Close() }
	if len(paths) == 1 && r.choice.All() {
		if err := settle(ctx, paths[0]); err != nil {
			return err
		}
		db, err = store.OpenReadOnly(paths[0])
	} else {
		db, remove, err = gathered(ctx, paths, r.choice)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	rows, err := db.Results(ctx, store.Filter{})
	if err != nil {
		return err
	}
	learned, err := learn(ctx, db, rows)
	if err != nil {
		return err
	}
	if learned != nil && r.choice.All() {
		if err := writeRule(r.out, learned); err != nil {
			return err
		}
	}
	return r.write(ctx, w, db, rows, learned)
}

// fill takes what is not said from the [report] section of the sweep that was last run
// into a database.
func (r *reporting) fill(ctx context.Context, path string) (err error) {
	db, err := store.OpenReadOnly(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	sweeps, err := db.Sweeps(ctx)
	if err != nil || len(sweeps) == 0 {
		return err
	}
	said := configs.ReportOf([]byte(sweeps[len(sweeps)-1].Text))
	for _, list := range []struct {
		of   *[]string
		from []string
	}{
		{&r.figures, said.Figures},
		{&r.choice.Kernels, said.Kernels},
		{&r.choice.Matrices, said.Matrices},
		{&r.choice.Devices, said.Devices},
		{&r.choice.Precisions, said.Precisions},
		{&r.choice.Caches, said.Caches},
	} {
		if len(*list.of) == 0 {
			*list.of = list.from
		}
	}
	if !r.publishedSet {
		r.published = said.Published
	}
	return nil
}

// write writes the figures, the tables and the page, and says so.
func (r *reporting) write(ctx context.Context, w io.Writer, db *store.DB, rows []store.Row, learned *rule.Rule) error {
	opt, err := r.options(ctx, db)
	if err != nil {
		return err
	}
	if opt.Notes, err = choiceNotes(ctx, db, rows); err != nil {
		return err
	}
	written, err := plots.Report(ctx, db, rows, learned, r.out, opt)
	if err != nil {
		return fmt.Errorf("making the report: %w", err)
	}
	if err := saveClaims(ctx, db.Path(), written.Claims); err != nil {
		return err
	}
	for _, warning := range written.Warnings {
		fmt.Fprintln(w, term.Wrap(fmt.Sprintf("note: %v", warning), term.PageWidth-2, "  "))
	}
	fmt.Fprintf(w, "report: %s (and beside it %s and %s)\n", filepath.Join(r.out, command.ReportFile),
		term.Count(withEnding(written.Files, ".svg"), "figure", "figures"), term.Count(withEnding(written.Files, ".md"), "table", "tables"))
	return nil
}

// withEnding counts the files with this ending: each figure and each table is several
// files, of which one is of this kind.
func withEnding(files []string, ending string) int {
	n := 0
	for _, f := range files {
		if strings.HasSuffix(f, ending) {
			n++
		}
	}
	return n
}

// options are what the package that draws needs to know.
func (r *reporting) options(ctx context.Context, db *store.DB) (opt plots.Options, err error) {
	opt = plots.Options{Version: command.Version(), Figures: r.figures, Published: r.published}
	sweeps, err := db.Sweeps(ctx)
	if err != nil {
		return opt, err
	}
	if n := len(sweeps); n > 0 {
		opt.Title = cmp.Or(sweeps[n-1].Title, sweeps[n-1].Name)
	}
	devices, err := db.Devices(ctx)
	if err != nil {
		return opt, err
	}
	if len(sweeps) > 1 && len(devices) > 1 {
		names := make([]string, len(devices))
		for i := range devices {
			names[i] = devices[i].Label
		}
		opt.Title = strings.Join(names, " beside ")
	}
	if r.against == "" {
		return opt, nil
	}
	base, err := store.OpenReadOnly(r.against)
	if err != nil {
		return opt, err
	}
	defer func() { err = errors.Join(err, base.Close()) }()
	opt.Base = command.Shown(r.against)
	opt.Against, err = compare.Compare(ctx, base, db, compare.Options{Threshold: 0.01})
	if err != nil {
		return opt, fmt.Errorf("comparing with %s: %w", opt.Base, err)
	}
	return opt, nil
}

// refresh learns the rule from db, and writes it and the report below out.
func refresh(ctx context.Context, w io.Writer, db *store.DB, out string) (err error) {
	rows, err := db.Results(ctx, store.Filter{})
	if err != nil {
		return err
	}
	learned, err := learn(ctx, db, rows)
	if err != nil {
		return err
	}
	if learned == nil {
		fmt.Fprintln(w, "no trial is good yet: no rule and no report")
		return nil
	}
	var text bytes.Buffer
	if err := learned.WriteJSON(&text); err != nil {
		return err
	}
	if err := db.SaveRule(ctx, store.SavedRule{Sweep: learned.Sweep, Learned: time.Now(), JSON: text.Bytes()}); err != nil {
		return err
	}
	if err := writeRule(out, learned); err != nil {
		return err
	}
	r := reporting{out: out}
	if err := r.fill(ctx, db.Path()); err != nil {
		return err
	}
	if r.choice.All() {
		return r.write(ctx, w, db, rows, learned)
	}
	chosen, remove, err := gathered(ctx, []string{db.Path()}, r.choice)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	if rows, err = chosen.Results(ctx, store.Filter{}); err != nil {
		return err
	}
	if learned, err = learn(ctx, chosen, rows); err != nil {
		return err
	}
	return r.write(ctx, w, chosen, rows, learned)
}
