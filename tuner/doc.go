// Package tuner plans trials and runs them.
//
// A trial is one experiment: a kernel with its block, grid and parameters on one matrix,
// in one precision and cache state. A worker, a child process that holds the device and the
// current matrix, verifies and measures it (see package worker). The parent holds neither.
// The result is handed to a Recorder before the next trial starts. When a worker crashes,
// hangs or runs out of memory, the trial it was on is recorded as such, and a new worker
// goes on with the next one. Several GPUs of one model share the matrices out.
//
// The plan of a matrix is a list of trials, or the searches of a strategy in each place. In
// between, a sentinel is measured again and again to see drift. In the end, the leaders are
// measured again to pick the winner.
//
// This package knows no SQL, no Slurm and no CUDA. It is given a Recorder and a way to start
// workers.
package tuner
