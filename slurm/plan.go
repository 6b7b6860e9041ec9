package slurm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"spmvtune/internal/base/files"
	"spmvtune/tuner/trial"
)

// A Plan is what the tasks of a run do. Submit writes it, and retry adds to it when it splits
// a chunk.
type Plan struct {
	Chunks []Chunk `json:"chunks"`
}

// A Chunk is the work of one task.
type Chunk struct {
	// ID is unique in the run and safe in the name of a file: "0007". The halves of a split
	// chunk are "0007.1" and "0007.2".
	ID     string  `json:"id"`
	Pieces []Piece `json:"pieces"`
	// Kind is that of its task: an index in the Arrays of [slurm].
	Kind int `json:"kind,omitempty"`
	// Trials is the number of trials, as far as it is known without the device: grids may
	// depend on it.
	Trials  int     `json:"trials"`
	Seconds float64 `json:"seconds"` // Seconds is the predicted time.
	// Memory is a guess of the MB that the task needs; 0 in runs of early versions.
	Memory int `json:"memory,omitempty"`
}

// A Piece is a part of the trials of one matrix. It is all of them, unless there are too many
// for one task.
type Piece struct {
	Matrix string `json:"matrix"` // Matrix is the name in the sweep.
	trial.Part
}

// Plan reads the plan as it is now.
func (r *Run) Plan() (p Plan, err error) {
	data, err := r.Read(planFile)
	if errors.Is(err, fs.ErrNotExist) {
		return p, fmt.Errorf("run %s has lost its %s, which nothing can replace: "+
			"copy it back, or submit the sweep again", r.Dir, planFile)
	}
	if err != nil {
		return p, fmt.Errorf("reading the plan: %w", err)
	}
	if err := json.Unmarshal(data, &p); err != nil {
		return p, fmt.Errorf("reading %s: %w: it was damaged; copy it back, or submit the sweep again",
			r.Path(planFile), err)
	}

	return p, nil
}

// ReplacePlan gives the run another plan. Tasks that read the plan at that moment see the old
// or the new one, and find their chunk in both.
func (r *Run) ReplacePlan(plan Plan) error {
	data, err := json.Marshal(plan)
	if err != nil {
		return err
	}
	if err := files.Write(r.Path(planFile), data); err != nil {
		return fmt.Errorf("writing the plan: %w", err)
	}
	return nil
}

// Trials is the number of trials, as far as it is known without the device. The halves of a chunk
// are counted with it.
func (p Plan) Trials() (n int) {
	for _, c := range p.Chunks {
		if !strings.Contains(c.ID, ".") {
			n += c.Trials
		}
	}
	return n
}

// Kinds are the kinds of chunks, by their identities.
func (p Plan) Kinds() map[string]int {
	kinds := map[string]int{}
	for _, c := range p.Chunks {
		kinds[c.ID] = c.Kind
	}
	return kinds
}

// Current returns the chunks without those that were split; their halves stand for them.
func (p Plan) Current() []Chunk {
	split := map[string]bool{}
	for _, c := range p.Chunks {
		if i := strings.LastIndexByte(c.ID, '.'); i > 0 {
			split[c.ID[:i]] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(p.Chunks), func(c Chunk) bool { return split[c.ID] })
}

// Split cuts c into two halves, for a task that took too long: it divides the pieces or, if
// there is only one, its trials. A chunk of one trial has no halves.
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
			Kind:    c.Kind,
			Seconds: c.Seconds * share,
			Memory:  c.Memory,
		}
	}

	halves[0].Trials = int(float64(c.Trials) * halves[0].Seconds / max(c.Seconds, 1e-9))
	halves[1].Trials = c.Trials - halves[0].Trials
	return halves
}
