// Package cpu runs sparse matrix-vector products on the processor, in Go. It
// implements kernels.Backend for the six kernels of the catalogue whose names
// begin with cpu_.
//
// Load checks the matrix once; after that no inner loop checks a bound (see
// span.go). Prepare builds what a kernel needs beyond CSR (row indices,
// SELL-C-sigma), remembers it while the matrix stays, and returns a product
// that allocates nothing when it runs.
//
// Parallel kernels share one pool of threads. Worker 0 is the goroutine that calls; the others
// live on threads of their own, a core each. Work that comes in chunks is handed out by an
// atomic counter: the next free worker takes the next chunk, so that long rows and a busy core
// even out. Small chunks cost one step of the counter each. cpu_csr_merge has no chunks: its
// shares are equal by construction.
//
// The monotonic clock times the whole product, including all that the kernel does to y. The
// package sets no priorities and no clock frequency.
//
// Note: splitting chunks among workers beforehand was rejected. It saves the counter, but then
// the slowest worker decides: on a shared or oversubscribed machine that measures the
// neighbours.
package cpu
