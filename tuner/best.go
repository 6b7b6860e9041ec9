package tuner

import (
	"context"
	"fmt"

	"spmvtune/kernels"
)

// A phase is what trials of a matrix have in common that are compared with each other.
type phase struct {
	precision kernels.Precision
	cache     Cache
}

func (t Trial) phase() phase { return phase{t.Precision, t.Cache} }

// A Remembering recorder can tell how fast the trials were that it has.
type Remembering interface {
	// Medians returns those of the trials with these identities that ended well, in
	// seconds.
	Medians(ctx context.Context, ids []string) (map[string]float64, error)
}

// bests are the lowest medians so far of a matrix, in seconds.
type bests map[phase]float64

// note takes account of a trial.
func (b bests) note(t Trial, median float64) {
	if old, is := b[t.phase()]; median > 0 && (!is || median < old) {
		b[t.phase()] = median
	}
}

// recall gives the bests among what is recorded of a plan; none where the recorder can't
// tell, and trials find them out anew.
func recall(ctx context.Context, rec Recorder, trials []Trial) (bests, error) {
	b := bests{}
	known, ok := rec.(Remembering)
	if !ok {
		return b, nil
	}
	ids := make([]string, len(trials))
	for i, t := range trials {
		ids[i] = t.ID
	}
	medians, err := known.Medians(ctx, ids)
	if err != nil {
		return b, fmt.Errorf("asking for the best so far: %w", err)
	}
	for _, t := range trials {
		b.note(t, medians[t.ID])
	}
	return b, nil
}
