package plots

import (
	"context"
	"fmt"
	"math"
	"slices"

	"spmvtune/store"
	"spmvtune/tuner/replay"
	"spmvtune/tuner/search"
	"spmvtune/tuner/trial"
)

// What a report replays of searches is bounded, so that a database of a million trials
// costs it seconds, too. `spmvtune replay` replays everything.
const (
	// Grids of fewer configurations leave a search nothing to save, and larger ones take
	// as long as all others.
	leastSearched, mostSearched = 60, 2000
	// searchedAtOnce is how many configurations the grids have together.
	searchedAtOnce = 6000
	searchSeeds    = 10
)

// A searchable is a recorded grid that searches can be replayed on.
type searchable struct {
	setup
	matrix  string
	configs int
}

// searchables lists what whole sweeps have tried, in the order of the rows.
func (d *data) searchables() []searchable {
	whole := map[string]bool{}
	for i := range d.sweeps {
		// Rows don't tell sweeps of one name apart; the grids that are read do.
		whole[d.sweeps[i].Name] = whole[d.sweeps[i].Name] || d.sweeps[i].Whole()
	}
	var list []searchable
	index := map[searchable]int{} // without the number
	for i := range d.rows {
		r := &d.rows[i]
		if !whole[r.Sweep] {
			continue
		}
		at := searchable{setup: setupOf(r), matrix: r.Matrix}
		n, seen := index[at]
		if !seen {
			n = len(list)
			index[at] = n
			list = append(list, at)
		}
		list[n].configs++
	}
	kept := list[:0]
	for _, s := range list {
		if s.configs >= leastSearched && s.configs <= mostSearched {
			kept = append(kept, s)
		}
	}
	return kept
}

// some takes every so many of them, so that they are few enough and of all kinds.
func some(list []searchable) []searchable {
	all := 0
	for _, s := range list {
		all += s.configs
	}
	every := (all + searchedAtOnce - 1) / searchedAtOnce
	var taken []searchable
	for i := 0; i < len(list); i += max(every, 1) {
		taken = append(taken, list[i])
	}
	return taken
}

// searched is what replays of searches came to.
type searched struct {
	outcomes []replay.Outcome
	left     int // grids that could be searched, too
}

// search replays the strategies on some of the recorded grids.
func (d *data) search(ctx context.Context, db *store.DB) error {
	all := d.searchables()
	list := some(all)
	d.searched.left = len(all) - len(list)
	for _, s := range list {
		grids, err := db.Grids(ctx, store.Filter{Device: s.Device, Matrix: s.matrix, Precision: s.Precision, Cache: trial.Cache(s.Cache)})
		if err != nil {
			return fmt.Errorf("recorded grids: %w", err)
		}
		for i := range grids {
			if g := &grids[i]; len(g.Trials) >= leastSearched { // of several sweeps, some may be small
				if err := d.searched.add(ctx, g); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// add replays every strategy on a grid.
func (s *searched) add(ctx context.Context, g *replay.Grid) error {
	for _, strategy := range search.Replayable() {
		paths, err := replay.Run(ctx, g, strategy, searchSeeds)
		if err != nil {
			return fmt.Errorf("replaying %s on %s: %w", strategy, g.Name(), err)
		}
		s.outcomes = append(s.outcomes, replay.Sum(g, strategy, paths))
	}
	return nil
}

// byPlace parts outcomes by cache state and device, in the order in which these come.
func (s searched) byPlace() (places []string, of map[string][]replay.Outcome) {
	of = map[string][]replay.Outcome{}
	for _, o := range s.outcomes {
		place := string(o.Grid.Cache) + " cache, " + shortDevice(o.Grid.Device)
		if of[place] == nil {
			places = append(places, place)
		}
		of[place] = append(of[place], o)
	}
	return places, of
}

// searchTable says how much of the device time of the whole grid searches took.
func searchTable(s searched) table {
	t := table{Title: "Searches replayed on recorded grids: device time, in % of that of the whole grid", Columns: []column{
		{"strategy", false}, {"grids", true}, {"searches", true}, {"to within 5%", true}, {"to within 2%", true}, {"on the worst grid", true},
		{"to within 1%", true}, {"until it ends", true}, {"slower in the end (%)", true}, {"on", false},
	}}
	places, of := s.byPlace()
	for _, place := range places {
		for _, strategy := range search.Names() {
			list := slices.DeleteFunc(slices.Clone(of[place]), func(o replay.Outcome) bool { return o.Strategy != strategy })
			if len(list) == 0 {
				continue
			}
			over := func(quantile float64, of func(o replay.Outcome) float64) cell {
				values := make([]float64, len(list))
				for i := range list {
					values[i] = of(list[i])
				}
				v := replay.Quantile(values, quantile)
				if math.IsInf(v, 1) {
					return words("never")
				}
				return cell{significant(100*v, 2), 100 * v}
			}
			within := func(i int) func(o replay.Outcome) float64 {
				return func(o replay.Outcome) float64 { return o.Within[i].Share }
			}
			t.Rows = append(t.Rows, []cell{words(strategy), count(len(list)), count(len(list) * len(list[0].Paths)),
				over(0.5, within(0)), over(0.5, within(1)), over(1, within(1)), over(0.5, within(2)),
				over(0.5, func(o replay.Outcome) float64 { return o.End.Share }), over(0.5, func(o replay.Outcome) float64 { return o.Loss }),
				words(place)})
		}
	}
	return t
}
