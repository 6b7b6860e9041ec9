package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/rule"
	"spmvtune/store"
	"spmvtune/tuner/trial"
)

// A place is where a rule chooses.
type place struct {
	device, matrix string
	precision      kernels.Precision
	cache          string
}

// timesOf are the verified measurements of each place.
func timesOf(seen []rule.Observation) map[place][]*rule.Observation {
	times := make(map[place][]*rule.Observation)
	for i := range seen {
		if o := &seen[i]; !o.Failed {
			at := place{o.Device, o.Matrix, o.Config.Precision, string(o.Cache)}
			times[at] = append(times[at], o)
		}
	}
	return times
}

// distance says how far a choice is from the best of what was measured at its place, and
// its share of the best speed; "" where no more than the choice was.
func (made *choiceMade) distance(all []*rule.Observation) (words string, share float64) {
	var best, first, chosen float64 // seconds; 0: not known
	for _, o := range all {
		if best == 0 || o.Seconds < best {
			best = o.Seconds
		}
		i := slices.IndexFunc(made.configs, func(c kernels.Config) bool { return c.String() == o.Config.String() })
		if i == 0 {
			first = o.Seconds
		}
		if i >= 0 && (chosen == 0 || o.Seconds < chosen) {
			chosen = o.Seconds
		}
	}
	if chosen == 0 || first == 0 || len(all) <= len(made.configs) {
		return "", 0
	}
	return fmt.Sprintf("%s %s %s: the rule's choice is at %.1f%% of the speed of the best of %d configurations measured here, and the best of its %d at %.1f%%",
		made.matrix, made.precision, made.cache, 100*best/first, len(all), len(made.configs), 100*best/chosen), best / first
}

// mostChoices are said one by one in a report: a corpus would fill it with them.
const mostChoices = 12

// A choiceFar is how far a choice is from the best.
type choiceFar struct {
	words string
	share float64 // of the best speed
}

// farthest says of some choices how far they are; of many, of those that lose most and how
// far all are in the geometric mean.
func farthest(far []choiceFar) []error {
	var notes []error
	shown := far
	if len(far) > mostChoices {
		logs := 0.0
		for _, f := range far {
			logs += math.Log(f.share)
		}
		notes = append(notes, fmt.Errorf("the rule's %d choices are at %.1f%% of the speed of the best that was measured, in the geometric mean; the %d that lose most follow",
			len(far), 100*math.Exp(logs/float64(len(far))), mostChoices))
		shown = slices.Clone(far)
		slices.SortStableFunc(shown, func(a, b choiceFar) int { return cmp.Compare(a.share, b.share) })
		shown = shown[:mostChoices]
	}
	for _, f := range shown {
		notes = append(notes, errors.New(f.words))
	}
	return notes
}

// choiceNotes say the same in a report, for the sweeps that go by a rule and have measured
// something for its database: what the rule names is asked again.
func choiceNotes(ctx context.Context, db *store.DB, rows []store.Row) ([]error, error) {
	sweeps, err := db.Sweeps(ctx)
	if err != nil {
		return nil, err
	}
	var notes []error
	for _, s := range sweeps {
		c, err := newChooser(ctx, &configs.Sweep{Search: configs.SearchOf([]byte(s.Text))})
		if err != nil {
			notes = append(notes, fmt.Errorf("how far the rule of %s is from the best is not known: %w", s.Name, err))
			continue
		}
		if c == nil {
			continue
		}
		seen, err := rule.FromRows(ctx, db, rows)
		if err != nil {
			return nil, err
		}
		times := timesOf(seen)
		var far []choiceFar
		for _, at := range slices.SortedFunc(maps.Keys(times), place.compare) {
			var among []kernels.Config
			for _, o := range times[at] {
				among = append(among, o.Config)
			}
			m := trial.Matrix{Name: at.matrix, Features: *times[at][0].Features}
			if _, err := c.choose(kernels.Device{Name: at.device}, m, trial.Cache(at.cache), among); err != nil {
				continue // nothing of what it names was measured there
			}
			if words, share := c.made[len(c.made)-1].distance(times[at]); words != "" {
				far = append(far, choiceFar{words, share})
			}
		}
		notes = append(notes, farthest(far)...)
	}
	return notes, nil
}

func (at place) compare(other place) int {
	return cmp.Or(cmp.Compare(at.device, other.device), cmp.Compare(at.matrix, other.matrix),
		cmp.Compare(at.precision, other.precision), cmp.Compare(at.cache, other.cache))
}
