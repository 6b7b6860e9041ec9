// Package kernels is the catalogue of sparse matrix-vector products and the
// interface through which a device runs them.
//
// The catalogue is a literal table: for every kernel its name, the name its paper gives it,
// where it was published, what block and grid mean, what else can be chosen, and which choices
// are legal. It covers the kernels of five papers on COO and CSR products, the processor's own,
// and the peers they are measured against. A kernel is listed even if this machine can't run
// it; Kernel.Backend says what it needs.
//
// Data flows one way. A sweep names kernels and values; Kernel.Check refuses what no device
// could run; a Backend is given a Problem by Load, makes a Config ready by Prepare, and the
// Product that comes back is verified with Multiply and timed with Sample. Problems that only
// the device can detect (too many registers, too little memory) come back from Prepare as an
// *InvalidError.
//
// The package runs nothing and chooses nothing. It holds no measurements, and
// no backend registers itself with it.
package kernels
