package tuner

import (
	"time"

	"spmvtune/kernels"
	"spmvtune/sparse"
)

// A Trial is one experiment: a configuration on a matrix under a cache state.
// Device, driver and the rest of the protocol are common to a run.
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

// A Matrix describes a matrix of a sweep, without its entries.
type Matrix struct {
	Name     string          `json:"name"`   // short, unique within a sweep
	Source   string          `json:"source"` // path, generator with its arguments, "SuiteSparse Group/Name", or "twin of Group/Name: " and the generator
	Class    string          `json:"class"`  // structure class: matrices of a class are one family
	Hash     string          `json:"hash"`   // content: sizes, row pointers, columns, values
	Field    string          `json:"field"`  // real, integer, pattern
	Symmetry string          `json:"symmetry"`
	Features sparse.Features `json:"features"`
	// FeaturesSeconds is what reading the features took, when that was done; 0: not known.
	FeaturesSeconds float64 `json:"features_seconds,omitempty"`
	// Pattern shows where the entries lie. Runs before it was kept have none.
	Pattern sparse.Thumbnail `json:"pattern,omitempty"`
	// NonFinite is how many entries of its file are NaN or infinite.
	NonFinite int `json:"non_finite,omitempty"`
	// Note is what is to be known of it in this run only: why the cache could not keep
	// it, or why it is a twin.
	Note string `json:"-"`
}

// A Status says how a trial ended.
type Status string

const (
	OK      Status = "ok"      // verified and measured
	Wrong   Status = "wrong"   // the result is outside the error bound; not timed
	Invalid Status = "invalid" // the device can't launch this configuration
	Fault   Status = "fault"   // the worker crashed, or the backend failed
	Timeout Status = "timeout" // no answer within the deadline; the worker was killed
	OOM     Status = "oom"     // memory ran out
)

// A Stop says why sampling ended.
type Stop string

const (
	StopTarget  Stop = "target"  // the interval is narrow enough
	StopSamples Stop = "samples" // the most samples were taken
	StopBudget  Stop = "budget"  // the time of a trial is used up
	StopSlow    Stop = "slow"    // it is far slower than the best of its matrix: the fewest samples were taken
	StopSearch  Stop = "search"  // the search asked for no more samples
	StopClock   Stop = "clock"   // the interval is as narrow as the clock can tell, and the target narrower
)

// A Result is what became of a trial. Times are in seconds per product.
type Result struct {
	Trial
	Status  Status `json:"status"`
	Message string `json:"message,omitempty"`

	Median  float64   `json:"median,omitempty"`
	Low     float64   `json:"low,omitempty"` // 95% interval of the median
	High    float64   `json:"high,omitempty"`
	Samples []float64 `json:"samples,omitempty"` // in the order they were taken
	Batch   int       `json:"batch,omitempty"`   // products per sample
	Stop    Stop      `json:"stop,omitempty"`

	Prepare    float64            `json:"prepare,omitempty"` // seconds
	MaxError   float64            `json:"max_error"`         // worst |ŷᵢ−yᵢ| as a fraction of its bound; above 1 is wrong
	WorstRow   int                `json:"worst_row"`
	BytesMin   int64              `json:"bytes_min,omitempty"`
	BytesOwn   int64              `json:"bytes_kernel,omitempty"`
	Properties map[string]float64 `json:"properties,omitempty"`
	Warnings   []string           `json:"warnings,omitempty"`
	Telemetry  *Telemetry         `json:"telemetry,omitempty"` // nil: the device has no sensors that could be read
	At         time.Time          `json:"at"`                  // when it finished, UTC
	Seconds    float64            `json:"seconds,omitempty"`   // that the worker was busy with it; 0: not known

	// Sentinel says that this is a trial measured again to see drift, see Sentinel in
	// configs.Protocol: it belongs beside the trial's result, not in its place.
	Sentinel bool `json:"sentinel,omitempty"`
	// Final says the same of one measured again since it was among the fastest, see
	// Finals in configs.Protocol.
	Final bool `json:"final,omitempty"`
}

// Again reports whether this is a trial measured again, whose result is another one.
func (r Result) Again() bool { return r.Sentinel || r.Final }
