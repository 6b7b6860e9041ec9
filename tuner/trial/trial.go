package trial

import "spmvtune/kernels"

// A Trial is one experiment: a configuration on a matrix under a cache state.
// The device, the driver and the rest of the protocol are those of the run.
type Trial struct {
	ID     string `json:"id"`     // identity, see Identity
	Matrix string `json:"matrix"` // the matrix's content hash
	kernels.Config
	Cache Cache `json:"cache"`
}

// Cache is the state of the device's caches when a sample starts.
type Cache string

const (
	Cold Cache = "cold" // flushed before every sample
	Warm Cache = "warm" // products run back to back
)
