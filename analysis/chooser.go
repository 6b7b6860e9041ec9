// SPDX-License-Identifier: Apache-2.0

package analysis

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/rule"
	"example.org/spmvtune/tuner"
	"example.org/spmvtune/tuner/search"
	"example.org/spmvtune/tuner/trial"
)

// A Chooser is the rule that the strategies "rule" and "tune" go by.
type Chooser struct {
	named opened   // what the sweep names; without a rule: the rule of the device's model
	top   int      // most configurations to measure
	own   sync.Map // the rules that come with the program, as devices ask for them: an opened by name
}

// An opened is a rule and what it was read from.
type opened struct {
	rule *rule.Rule
	from string
}

// of is the rule for a device.
func (c *Chooser) of(device string) (opened, error) {
	if c.named.rule != nil {
		return c.named, nil
	}
	name := rule.NameFor(device)
	if own, ok := c.own.Load(name); ok {
		return own.(opened), nil
	}
	read, from, err := rule.Open(name)
	if err == nil {
		c.own.Store(name, opened{read, from})
	}
	return opened{read, from}, err
}

// NewChooser reads the rule of a sweep. It returns nil if the sweep has a strategy that goes by none.
func NewChooser(ctx context.Context, sweep *configs.Sweep) (*Chooser, error) {
	if s := sweep.Search.Strategy; s != search.Rule && s != search.Tune {
		return nil, nil
	}
	name, c := sweep.Search.Rule, &Chooser{top: cmp.Or(sweep.Search.Top, rule.Shortlisted)}
	if name == "" {
		return c, nil
	}
	var err error
	if !strings.HasSuffix(name, ".db") {
		c.named.rule, c.named.from, err = rule.Open(name)
		return c, err
	}

	results, err := OpenReadOnly(ctx, name)
	if err != nil {
		return nil, err
	}
	defer results.Close()
	c.named.from = name
	if c.named.rule, err = results.Learn(ctx); err == nil && c.named.rule == nil {
		err = fmt.Errorf("%s: %w", name, rule.ErrNoData)
	}
	return c, err
}

// Use makes a run go by the rule. c may be nil.
func (c *Chooser) Use(opt *tuner.Options) {
	if c != nil {
		opt.Choose, opt.Expect = c.choose, c.expect
	}
}

// asked asks the rule of a device. One of another device or cache state serves if there is no
// better one: several configurations are measured, and the fastest of them wins.
func (c *Chooser) asked(dev kernels.Device, precision kernels.Precision, cache trial.Cache,
	ask func(*rule.Rule, rule.Key) error,
) (from string, err error) {
	r, err := c.of(dev.Name)
	if err != nil {
		return "", err
	}
	for _, key := range []rule.Key{
		{Device: dev.Name, Precision: precision, Cache: cache},
		{Device: dev.Name, Precision: precision},
		{Precision: precision, Cache: cache},
		{Precision: precision},
	} {
		if err = ask(r.rule, key); err == nil {
			break
		}
	}
	return r.from, err
}

// choose names the configurations of the sweep that are nearest to the first ones of the rule's
// shortlist.
func (c *Chooser) choose(
	dev kernels.Device, m trial.Matrix, cache trial.Cache, among []kernels.Config,
) ([]kernels.Config, error) {
	var wanted []string
	var kept []kernels.Config
	from, err := c.asked(dev, among[0].Precision, cache, func(r *rule.Rule, key rule.Key) error {
		named, err := r.Select(key, m.Features, rule.Wanted{On: rule.HardwareOf(dev)})
		for _, w := range named.Shortlist {
			wanted = append(wanted, w.Kernel)
			near, ok := rule.Nearest(w.Config, among)
			if ok && !slices.Contains(kept, near) && len(kept) < c.top {
				kept = append(kept, near)
			}
		}
		return err
	})
	if err == nil && len(kept) == 0 {
		err = fmt.Errorf("the rule (%s) names %s on %s: none of these kernels is in the sweep", from,
			strings.Join(slices.Compact(slices.Sorted(slices.Values(wanted))), ", "), dev.Name)
	}
	return kept, err
}

// spreadOfSimilar is how much wider the spread of a configuration is that only resembles one which the rule knows.
const spreadOfSimilar = 0.2

// expect says what the rule expects of configurations of one precision; nil where it knows nothing, as of a
// processor. Of a configuration that it does not know it expects what it does of the most similar one.
func (c *Chooser) expect(
	dev kernels.Device, m trial.Matrix, cache trial.Cache, among []kernels.Config,
) []search.Expectation {
	times := map[kernels.Config]search.Expectation{}
	var known []kernels.Config
	_, err := c.asked(dev, among[0].Precision, cache, func(r *rule.Rule, key rule.Key) error {
		list, err := r.Expect(key, m.Features, rule.HardwareOf(dev))
		for _, e := range list {
			known = append(known, e.Config)
			times[e.Config] = search.Expectation{Seconds: e.Seconds, Spread: e.Spread}
		}
		return err
	})
	if err != nil {
		return nil
	}
	expected := make([]search.Expectation, len(among))
	for i, config := range among {
		near, ok := rule.Nearest(config, known)
		if expected[i] = times[near]; ok && near != config {
			expected[i].Spread += spreadOfSimilar
		}
	}
	return expected
}
