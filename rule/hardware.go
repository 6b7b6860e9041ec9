package rule

import (
	"math"
	"strconv"

	"spmvtune/kernels"
	"spmvtune/sparse"
)

// Hardware is what of a device says whether a matrix is large for it. What is 0 is not known.
type Hardware struct {
	Cache int64 `json:"cache_bytes"` // last-level cache
	Warps int   `json:"warps"`       // that run at a time; on a processor its cores
}

// HardwareOf reads it from what a device says of itself.
func HardwareOf(d kernels.Device) Hardware {
	threads, err := strconv.Atoi(d.Properties["threads_unit"])
	if err != nil {
		threads = 32
	}
	return Hardware{Cache: d.Cache, Warps: d.Units * threads / 32}
}

// A Subject is what a rule is asked about: a matrix, for a device.
type Subject struct {
	*sparse.Features
	Hardware
}

// footprint is the bytes of a matrix in CSR with both vectors, in float64: the trees of a precision
// compare it with each other only.
func (s *Subject) footprint() float64 {
	return known(s.Nonzeros)*12 + known(s.Rows)*12 + known(s.Cols)*8
}

// overCache is a number of bytes over the size of the cache, NaN if that is not known.
func (s *Subject) overCache(bytes float64) float64 {
	if s.Cache <= 0 {
		return math.NaN()
	}
	return bytes / float64(s.Cache)
}

// perWarp is a count over the number of warps, NaN if that is not known.
func (s *Subject) perWarp(count int) float64 {
	if s.Warps <= 0 {
		return math.NaN()
	}
	return known(count) / float64(s.Warps)
}
