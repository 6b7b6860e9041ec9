package analysis

import (
	"context"
	"fmt"

	"spmvtune/store"
	"spmvtune/tuner/search"
	"spmvtune/tuner/trial"
)

// A report replays some searches only, so that a database of a million trials takes seconds,
// too. `spmvtune replay` replays everything.
const (
	// Smaller grids leave a search nothing to save, and larger ones take as long as all
	// others together.
	LeastSearched, MostSearched = 60, 2000
	mostConfigs                 = 6000 // The most configurations of all grids together.
	searchSeeds                 = 10
)

// A searchable is a recorded grid that searches can be replayed on.
type searchable struct {
	trial.Case
	configs int
}

// Searchables lists the places that whole sweeps have tried, in the order of the rows.
func (d *Data) Searchables() []searchable {
	whole := map[string]bool{}
	for i := range d.Sweeps {
		// Rows don't tell sweeps of one name apart; the grids that are read do.
		whole[d.Sweeps[i].Name] = whole[d.Sweeps[i].Name] || d.Sweeps[i].Whole()
	}

	places, rows := groupBy(d.Rows, (*store.Row).Place)
	var list []searchable
	for _, at := range places {
		n := 0
		for _, r := range rows[at] {
			if whole[r.Sweep] {
				n++
			}
		}
		if n >= LeastSearched && n <= MostSearched {
			list = append(list, searchable{at, n})
		}
	}
	return list
}

// some takes every n-th grid, so that there are few enough, of all kinds.
func some(list []searchable) []searchable {
	all := 0
	for _, s := range list {
		all += s.configs
	}
	every := (all + mostConfigs - 1) / mostConfigs

	var taken []searchable
	for i := 0; i < len(list); i += max(every, 1) {
		taken = append(taken, list[i])
	}
	return taken
}

// Searches are replayed searches.
type Searches struct {
	Outcomes []search.Outcome
	Left     int // The number of grids that were not searched.
}

// ReplaySearches replays the strategies on some of the grids that db holds whole.
func ReplaySearches(ctx context.Context, db *store.DB, d *Data) (s Searches, err error) {
	all := d.Searchables()
	list := some(all)
	s.Left = len(all) - len(list)

	for _, at := range list {
		grids, err := db.Grids(ctx, store.Filter{Device: at.Device, Matrix: at.Matrix, Precision: at.Precision,
			Cache: at.Cache})
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
func (s *Searches) add(ctx context.Context, g *search.Grid) error {
	for _, strategy := range search.Replayable() {
		paths, err := search.Replay(ctx, g, strategy, searchSeeds)
		if err != nil {
			return fmt.Errorf("replaying %s on %s: %w", strategy, g.Name(), err)
		}
		s.Outcomes = append(s.Outcomes, search.SumUp(g, strategy, paths))
	}
	return nil
}

// ByCondition groups outcomes by condition, in the order in which these occur.
func (s Searches) ByCondition() (conditions []Condition, of map[Condition][]search.Outcome) {
	of = map[Condition][]search.Outcome{}
	for _, o := range s.Outcomes {
		c := Condition{o.Grid.Device, o.Grid.Cache}
		if of[c] == nil {
			conditions = append(conditions, c)
		}
		of[c] = append(of[c], o)
	}
	return conditions, of
}
