package slurm

import (
	"fmt"
	"slices"
	"strings"

	"spmvtune/tuner/trial"
)

// A Plan is what the tasks of a run do. It is written once, by submit, and grows
// when retry splits a chunk.
type Plan struct {
	Chunks []Chunk `json:"chunks"`
}

// A Chunk is the work of one task.
type Chunk struct {
	// ID is unique in the run and safe in the name of a file: "0007". The halves
	// of a split chunk are "0007.1" and "0007.2".
	ID      string  `json:"id"`
	Pieces  []Piece `json:"pieces"`
	Trials  int     `json:"trials"`  // as far as known without the device: grids may depend on it
	Seconds float64 `json:"seconds"` // predicted
}

// A Piece is a part of the trials of one matrix: all of them, unless they are too
// many for one task.
type Piece struct {
	Matrix string `json:"matrix"` // its name in the sweep
	trial.Part
}

// Current are the chunks without those that were split: their halves stand for them.
func (p Plan) Current() []Chunk {
	split := map[string]bool{}
	for _, c := range p.Chunks {
		if i := strings.LastIndexByte(c.ID, '.'); i > 0 {
			split[c.ID[:i]] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(p.Chunks), func(c Chunk) bool { return split[c.ID] })
}

// Trials are how many there are in all, as far as known.
func (p Plan) Trials() int {
	n := 0
	for _, c := range p.Chunks {
		n += c.Trials
	}
	return n
}

// Split cuts c in two halves, for a task that took too long: its pieces or, if there
// is one only, its trials. It returns none where c has one trial.
func (c Chunk) Split() []Chunk {
	var pieces [2][]Piece
	switch n := len(c.Pieces); {
	case n > 1:
		pieces = [2][]Piece{c.Pieces[:n/2], c.Pieces[n/2:]}
	case n == 1 && c.Trials != 1:
		for i, part := range c.Pieces[0].Halves() {
			pieces[i] = []Piece{{c.Pieces[0].Matrix, part}}
		}
	default:
		return nil
	}
	halves := make([]Chunk, 2)
	for i := range halves {
		share := float64(len(pieces[i])) / float64(len(pieces[0])+len(pieces[1]))
		halves[i] = Chunk{
			ID:      fmt.Sprintf("%s.%d", c.ID, i+1),
			Pieces:  pieces[i],
			Seconds: c.Seconds * share,
		}
	}
	halves[0].Trials = int(float64(c.Trials) * halves[0].Seconds / max(c.Seconds, 1e-9))
	halves[1].Trials = c.Trials - halves[0].Trials
	return halves
}
