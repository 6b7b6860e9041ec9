package analysis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/rule"
	"spmvtune/tuner/stat"
	"spmvtune/tuner/trial"
)

// A distance says how far a rule's choice is from the best configuration.
type distance struct {
	words string
	share float64 // fraction of the best speed that it reaches
}

// verified are the verified measurements of each place.
func verified(seen []rule.Observation) map[trial.Case][]*rule.Observation {
	places := make(map[trial.Case][]*rule.Observation)
	for i := range seen {
		if o := &seen[i]; !o.Failed {
			at := trial.Case{Device: o.Device, Matrix: o.Matrix, Precision: o.Config.Precision, Cache: o.Cache}
			places[at] = append(places[at], o)
		}
	}
	return places
}

// distance compares a choice with all measurements of its place. It reports false if nothing
// but the choice was measured there.
func (c *choice) distance(all []*rule.Observation) (distance, bool) {
	var best, first, chosen float64 // seconds; 0 if not known
	for _, o := range all {
		if best == 0 || o.Seconds < best {
			best = o.Seconds
		}
		i := slices.Index(c.configs, o.Config)
		if i == 0 {
			first = o.Seconds
		}
		if i >= 0 && (chosen == 0 || o.Seconds < chosen) {
			chosen = o.Seconds
		}
	}

	if chosen == 0 || first == 0 || len(all) <= len(c.configs) {
		return distance{}, false
	}
	return distance{share: best / first, words: fmt.Sprintf(
		"%s %s %s: the rule's choice reaches %.1f%% of the speed of the best of %d configurations measured here; "+
			"the best of its %d reaches %.1f%%",
		c.at.Matrix, c.at.Precision, c.at.Cache, 100*best/first, len(all), len(c.configs), 100*best/chosen)}, true
}

// Distances says how far the choices of a run are from the best, where the database knows more
// configurations of the same matrix than the rule named. c may be nil.
func (c *Chooser) Distances(ctx context.Context, r *Results) ([]string, error) {
	if c == nil {
		return nil, nil
	}
	seen, err := r.Observations(ctx)
	if err != nil {
		return nil, err
	}

	var lines []string
	for at, all := range verified(seen) {
		for _, made := range c.made {
			// The database may tell devices of one name apart by what it adds to the name.
			here := made.at
			here.Device = at.Device
			if here != at || !strings.HasPrefix(at.Device, made.at.Device) {
				continue
			}
			if far, ok := made.distance(all); ok {
				lines = append(lines, far.words)
			}
		}
	}

	slices.Sort(lines)
	return lines, nil
}

// ChoiceNotes says in a report how far the choices of a rule are from the best, for the sweeps
// that went by a rule. The rule is asked again.
func (r *Results) ChoiceNotes(ctx context.Context) ([]error, error) {
	var notes []error
	for _, s := range r.sweeps {
		c, err := NewChooser(ctx, &configs.Sweep{Search: s.Search})
		if err != nil {
			notes = append(notes, fmt.Errorf("cannot tell how far the rule of %s is from the best: %w", s.Name, err))
			continue
		}
		if c == nil {
			continue
		}
		seen, err := r.Observations(ctx)
		if err != nil {
			return nil, err
		}
		notes = append(notes, farthest(c.distances(verified(seen)))...)
	}

	return notes, nil
}

// distances asks the rule for its choice at each place. It leaves out places where nothing
// that the rule names was measured.
func (c *Chooser) distances(places map[trial.Case][]*rule.Observation) []distance {
	var list []distance
	for _, at := range slices.SortedFunc(maps.Keys(places), comparePlaces) {
		var among []kernels.Config
		for _, o := range places[at] {
			among = append(among, o.Config)
		}
		m := trial.Matrix{Name: at.Matrix, Features: *places[at][0].Features}
		if _, err := c.choose(kernels.Device{Name: at.Device}, m, at.Cache, among); err != nil {
			continue
		}
		if far, ok := c.made[len(c.made)-1].distance(places[at]); ok {
			list = append(list, far)
		}
	}

	return list
}

// mostChoices is how many choices a report lists one by one.
const mostChoices = 12

// farthest describes each of a few choices. Of many it gives the geometric mean and describes
// those that lose most.
func farthest(far []distance) []error {
	var notes []error
	shown := far
	if len(far) > mostChoices {
		var mean stat.GeometricMean
		for _, f := range far {
			mean.Add(f.share)
		}
		notes = append(notes, fmt.Errorf("the rule's %d choices reach %.1f%% of the speed of the best measured "+
			"configurations (geometric mean); the %d that lose most follow", len(far), 100*mean.Value(), mostChoices))
		shown = slices.Clone(far)
		slices.SortStableFunc(shown, func(a, b distance) int { return cmp.Compare(a.share, b.share) })
		shown = shown[:mostChoices]
	}

	for _, f := range shown {
		notes = append(notes, errors.New(f.words))
	}
	return notes
}

func comparePlaces(a, b trial.Case) int {
	return cmp.Or(cmp.Compare(a.Device, b.Device), cmp.Compare(a.Matrix, b.Matrix),
		cmp.Compare(a.Precision, b.Precision), cmp.Compare(a.Cache, b.Cache))
}
