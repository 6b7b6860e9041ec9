package tuner

import (
	"errors"
	"maps"
	"slices"

	"spmvtune/configs"
	"spmvtune/tuner/search"
	"spmvtune/tuner/trial"
)

// A piece is a part of the current matrix, with its trials or, if a strategy decides which
// there are, its searches.
type piece struct {
	trial.Part
	trials   []trial.Trial
	searches []trial.Case
}

// cut reduces a plan to the trials that are in one of the matrix's parts. Searches are not
// cut: a part has some of them.
func (r *run) cut(plan Plan) Plan {
	all := plan.Trials
	plan.Trials = nil

	seen := map[string]bool{}
	for _, p := range r.share.parts {
		own := piece{Part: p}
		trials := all
		if search.Adaptive(r.sweep.Search.Strategy) {
			own.searches = trial.Cut(p, places(all))
			trials = slices.DeleteFunc(slices.Clone(all), func(t trial.Trial) bool {
				return !slices.Contains(own.searches, placeOf(t))
			})
		} else {
			trials = trial.Cut(p, all)
			own.trials = trials
		}

		r.pieces = append(r.pieces, own)
		for _, t := range trials {
			if !seen[t.ID] {
				seen[t.ID] = true
				plan.Trials = append(plan.Trials, t)
			}
		}
	}

	return plan
}

// ended notes which parts of a share are complete, after work on it ended with err.
func (r *run) ended(s share, err error) {
	for _, p := range s.parts {
		end := trial.Piece{Matrix: s.Name, Part: p, Reason: r.reason(err)}
		for _, planned := range r.pieces {
			if planned.Part == p && r.recorded(planned) {
				end.Complete, end.Reason, end.IDs = true, "", r.idsOf(planned)
			}
		}
		r.sum.Pieces = append(r.sum.Pieces, end)
	}
}

// recorded reports whether all trials of a piece are recorded.
func (r *run) recorded(p piece) bool {
	for _, t := range p.trials {
		if !r.done[t.ID] {
			return false
		}
	}

	for _, s := range p.searches {
		if !r.over[s] {
			return false
		}
	}

	return true
}

// idsOf lists the trials of a piece that is recorded. Which ones its searches took is not kept
// apart from those of others on the matrix.
func (r *run) idsOf(p piece) trial.IDs {
	return trial.ListOf(func(yield func(trial.Key) bool) {
		for _, t := range p.trials {
			if !yield(trial.KeyOf(t.ID)) {
				return
			}
		}
		if len(p.searches) == 0 {
			return
		}
		for id := range r.done {
			if !yield(trial.KeyOf(id)) {
				return
			}
		}
	})
}

// unreached notes the parts of shares that no device has when the run ended with err, and of matrices that
// the sweep does not have.
func (r *run) unreached(todo []share, err error) {
	r.pieces = nil
	for _, s := range todo {
		r.ended(s, err)
	}
	for _, name := range slices.Sorted(maps.Keys(r.opt.Parts)) {
		if !slices.ContainsFunc(r.sweep.Matrices, func(m configs.Matrix) bool { return m.Name == name }) {
			r.ended(share{Matrix: configs.Matrix{Name: name}, parts: r.opt.Parts[name]}, err)
		}
	}
}

// reason says why work ended, by err and by what the summary says.
func (r *run) reason(err error) string {
	var f *Failure
	switch {
	case errors.As(err, &f):
		return f.Err.Error()
	case err != nil && !errors.Is(err, errStop):
		return err.Error()
	case r.sum.OutOfTime:
		return "the sweep's time budget is used up"
	case r.sum.Interrupted:
		return "the run was interrupted"
	default:
		return "the sweep has no such matrix"
	}
}
