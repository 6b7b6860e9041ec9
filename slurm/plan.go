package slurm

import "spmvtune/tuner"

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
	tuner.Part
}
