// Package tuner plans, runs and judges trials.
//
// A trial is one experiment: a kernel with its block, grid and parameters, on
// one matrix, in one precision and cache state. The way of a trial is always
// the same: its product is computed once into a poisoned y and compared in full
// with a reference of higher precision; only if every row is within its error
// bound is it timed, and then compared once more; its samples give a median with
// a 95% interval; the result is handed to a Recorder before the next trial
// starts.
//
// Measurements run in a worker, a child process of the same program that holds
// the device and the current matrix. The parent holds neither. When a worker
// crashes, hangs or runs out of memory, the trial it was on is recorded as such
// and a new worker goes on with the next one.
//
// This package knows no SQL, no Slurm and no CUDA: it is given a Recorder and a
// way to start workers, and a worker is given a kernels.Backend.
package tuner
