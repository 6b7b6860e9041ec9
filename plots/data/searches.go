package data

import (
	"context"
	"fmt"

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
	LeastSearched, MostSearched = 60, 2000
	// searchedAtOnce is how many configurations the grids have together.
	searchedAtOnce = 6000
	searchSeeds    = 10
)

// A searchable is a recorded grid that searches can be replayed on.
type searchable struct {
	Setup
	matrix  string
	Configs int
}

// Searchables lists what whole sweeps have tried, in the order of the rows.
func (d *Report) Searchables() []searchable {
	whole := map[string]bool{}
	for i := range d.Sweeps {
		// Rows don't tell sweeps of one name apart; the grids that are read do.
		whole[d.Sweeps[i].Name] = whole[d.Sweeps[i].Name] || d.Sweeps[i].Whole()
	}
	var list []searchable
	index := map[searchable]int{} // without the number
	for i := range d.Rows {
		r := &d.Rows[i]
		if !whole[r.Sweep] {
			continue
		}
		at := searchable{Setup: SetupOf(r), matrix: r.Matrix}
		n, seen := index[at]
		if !seen {
			n = len(list)
			index[at] = n
			list = append(list, at)
		}
		list[n].Configs++
	}
	kept := list[:0]
	for _, s := range list {
		if s.Configs >= LeastSearched && s.Configs <= MostSearched {
			kept = append(kept, s)
		}
	}
	return kept
}

// some takes every so many of them, so that they are few enough and of all kinds.
func some(list []searchable) []searchable {
	all := 0
	for _, s := range list {
		all += s.Configs
	}
	every := (all + searchedAtOnce - 1) / searchedAtOnce
	var taken []searchable
	for i := 0; i < len(list); i += max(every, 1) {
		taken = append(taken, list[i])
	}
	return taken
}

// searched is what replays of searches came to.
type Searches struct {
	Outcomes []replay.Outcome
	Left     int // grids that could be searched, too
}

// Searches replays the strategies on some of the grids that db holds whole.
func ReplaySearches(ctx context.Context, db *store.DB, d *Report) (s Searches, err error) {
	all := d.Searchables()
	list := some(all)
	s.Left = len(all) - len(list)
	for _, at := range list {
		grids, err := db.Grids(ctx, store.Filter{Device: at.Device, Matrix: at.matrix, Precision: at.Precision, Cache: trial.Cache(at.Cache)})
		if err != nil {
			return s, fmt.Errorf("recorded grids: %w", err)
		}
		for i := range grids {
			if g := &grids[i]; len(g.Trials) >= LeastSearched { // of several sweeps, some may be small
				if err := s.add(ctx, g); err != nil {
					return s, err
				}
			}
		}
	}
	return s, nil
}

// add replays every strategy on a grid.
func (s *Searches) add(ctx context.Context, g *replay.Grid) error {
	for _, strategy := range search.Replayable() {
		paths, err := replay.Run(ctx, g, strategy, searchSeeds)
		if err != nil {
			return fmt.Errorf("replaying %s on %s: %w", strategy, g.Name(), err)
		}
		s.Outcomes = append(s.Outcomes, replay.Sum(g, strategy, paths))
	}
	return nil
}

// ByPlace parts outcomes by cache state and device, in the order in which these come.
func (s Searches) ByPlace() (places []string, of map[string][]replay.Outcome) {
	of = map[string][]replay.Outcome{}
	for _, o := range s.Outcomes {
		place := string(o.Grid.Cache) + " cache, " + ShortDevice(o.Grid.Device)
		if of[place] == nil {
			places = append(places, place)
		}
		of[place] = append(of[place], o)
	}
	return places, of
}
