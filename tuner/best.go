package tuner

import (
	"context"
	"fmt"

	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

// A phase is what trials of a matrix have in common that are compared with each other.
type phase struct {
	precision kernels.Precision
	cache     trial.Cache
}

func phaseOf(t trial.Trial) phase { return phase{t.Precision, t.Cache} }

// A Remembering recorder can tell how fast the trials were that it has.
type Remembering interface {
	// Medians returns those of the trials with these identities that ended well, in
	// seconds.
	Medians(ctx context.Context, ids []string) (map[string]float64, error)
}

// bests are the lowest medians so far of a matrix, in seconds.
type bests map[phase]float64

// note takes account of a trial.
func (b bests) note(t trial.Trial, median float64) {
	if old, is := b[phaseOf(t)]; median > 0 && (!is || median < old) {
		b[phaseOf(t)] = median
	}
}

// recall gives the medians that are recorded of trials, by identity; none where the
// recorder can't tell, and trials find out anew what is fast.
func recall(ctx context.Context, rec Recorder, trials []trial.Trial) (map[string]float64, error) {
	known, ok := rec.(Remembering)
	if !ok || len(trials) == 0 {
		return nil, nil
	}
	ids := make([]string, len(trials))
	for i, t := range trials {
		ids[i] = t.ID
	}
	medians, err := known.Medians(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("asking for the best so far: %w", err)
	}
	return medians, nil
}
