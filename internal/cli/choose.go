package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"spmvtune/configs"
	"spmvtune/internal/term"
	"spmvtune/kernels"
	"spmvtune/rule"
	"spmvtune/store"
	"spmvtune/tuner"
	"spmvtune/tuner/trial"
)

// A chooser lets a rule decide what is measured.
type chooser struct {
	rule *rule.Rule
	from string
	made []choiceMade
}

// A choiceMade is what was measured since the rule named it.
type choiceMade struct {
	matrix    string
	precision kernels.Precision
	cache     trial.Cache
	configs   []kernels.Config
}

// newChooser reads the rule of a sweep whose strategy it is; else it returns nil.
func newChooser(ctx context.Context, sweep *configs.Sweep) (*chooser, error) {
	if sweep.Search.Strategy != tuner.ByRule {
		return nil, nil
	}
	name := cmp.Or(sweep.Search.Rule, rule.EmbeddedName)
	if !strings.HasSuffix(name, ".db") {
		r, from, err := readRule(name, nil)
		return &chooser{rule: r, from: from}, err
	}
	db, err := store.OpenReadOnly(name)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	rows, err := db.Results(ctx, store.Filter{})
	if err != nil {
		return nil, err
	}
	r, err := learn(ctx, db, rows)
	if err == nil && r == nil {
		err = fmt.Errorf("%s: %w", name, rule.ErrNoData)
	}
	return &chooser{rule: r, from: name}, err
}

// use makes a run go by the rule, if there is one.
func (c *chooser) use(opt *tuner.Options) {
	if c != nil {
		opt.Choose = c.choose
	}
}

// choose names the rule's choice and its runners-up, or what of the sweep is nearest to
// each. A rule of another device or cache state serves where it is the only one: three are
// measured, and kernels tell.
func (c *chooser) choose(dev kernels.Device, m trial.Matrix, cache trial.Cache, among []kernels.Config) ([]kernels.Config, error) {
	precision := among[0].Precision
	var choice rule.Choice
	var err error
	for _, key := range []rule.Key{
		{Device: dev.Name, Precision: precision, Cache: cache},
		{Device: dev.Name, Precision: precision},
		{Precision: precision, Cache: cache},
		{Precision: precision},
	} {
		if choice, err = c.rule.SelectFor(key, m.Features, rule.Wanted{}); err == nil {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	var kept []kernels.Config
	wanted := append([]kernels.Config{choice.Config}, choice.Next...)
	for _, w := range wanted {
		near, ok := rule.Nearest(w, among)
		if ok && !slices.ContainsFunc(kept, func(k kernels.Config) bool { return k.String() == near.String() }) {
			kept = append(kept, near)
		}
	}
	if len(kept) == 0 {
		return nil, fmt.Errorf("the rule (%s) names %s: none of these kernels is in the sweep, on %s", c.from, names(wanted), dev.Name)
	}
	c.made = append(c.made, choiceMade{m.Name, precision, cache, kept})
	return kept, nil
}

// names lists the kernels of configurations.
func names(list []kernels.Config) string {
	var all []string
	for _, c := range list {
		if !slices.Contains(all, c.Kernel) {
			all = append(all, c.Kernel)
		}
	}
	return strings.Join(all, ", ")
}

// print says how far what was measured is from the best, where the database knows more
// configurations of the same matrix than the rule had measured.
func (c *chooser) print(ctx context.Context, w io.Writer, db *store.DB, device string) error {
	if c == nil {
		return nil
	}
	rows, err := db.Results(ctx, store.Filter{Device: device})
	if err != nil {
		return err
	}
	seen, err := rule.FromRows(ctx, db, rows)
	if err != nil {
		return err
	}
	var lines []string
	for at, all := range timesOf(seen) {
		for _, made := range c.made {
			if made.matrix != at.matrix || made.precision != at.precision || string(made.cache) != at.cache {
				continue
			}
			if line, _ := made.distance(all); line != "" {
				lines = append(lines, line)
			}
		}
	}
	slices.Sort(lines)
	for _, line := range lines {
		fmt.Fprintln(w, term.Wrap(line, term.PageWidth-2, "  "))
	}
	return nil
}
