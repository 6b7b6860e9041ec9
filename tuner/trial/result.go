package trial

import "time"

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
	StopBudget  Stop = "budget"  // the time budget of the trial is used up
	StopSlow    Stop = "slow"    // it is far slower than the best of its place: one product was enough to see that
	StopSearch  Stop = "search"  // a partial measurement: the search asked for no more samples
	StopClock   Stop = "clock"   // the interval is as narrow as the clock can tell, which is wider than the target
)

// A Result is the outcome of a trial. Times are in seconds per product.
type Result struct {
	Trial
	Status  Status `json:"status"`
	Message string `json:"message,omitempty"`

	Median  float64   `json:"median,omitempty"`
	Low     float64   `json:"low,omitempty"`     // lower end of the 95% interval of the median within the run
	High    float64   `json:"high,omitempty"`    // upper end
	Samples []float64 `json:"samples,omitempty"` // in the order in which they were taken
	Batch   int       `json:"batch,omitempty"`   // products per sample
	Stop    Stop      `json:"stop,omitempty"`

	Prepare float64 `json:"prepare,omitempty"` // preparation time in seconds
	// MaxError is the worst |ŷᵢ−yᵢ| as a fraction of its bound; above 1 is wrong.
	MaxError      float64            `json:"max_error"`
	WorstRow      int                `json:"worst_row"` // row of MaxError
	BytesMin      int64              `json:"bytes_min,omitempty"`
	BytesOwn      int64              `json:"bytes_kernel,omitempty"`
	Properties    map[string]float64 `json:"properties,omitempty"`
	Warnings      []string           `json:"warnings,omitempty"`
	Telemetry     *Telemetry         `json:"telemetry,omitempty"` // nil: the device has no sensors that can be read
	At            time.Time          `json:"at"`                  // when the trial finished, UTC
	Seconds       float64            `json:"seconds,omitempty"`   // how long the worker was busy with it; 0: not known
	LastRequested int64              `json:"asked,omitempty"`     // see Standing

	// UUID is that of the device, as in the Origin of its run, which a recorder knows by it.
	UUID string `json:"-"`

	// Host is what others did to the processor meanwhile.
	Host HostUse `json:"host,omitzero"`

	// Measurement is the version of the code that took the samples, see worker.Version.
	// 0: it was measured elsewhere, and the version is not known.
	Measurement int `json:"measurement,omitempty"`

	// Sentinel says that the trial was measured again to see drift, see Sentinel in
	// configs.Protocol. The result belongs beside the trial's first one, not in its place.
	Sentinel bool `json:"sentinel,omitempty"`
	// Final says that the trial was measured again to pick the winner among the leaders,
	// see Finals in configs.Protocol.
	Final bool `json:"final,omitempty"`
	// Spread says that the trial was measured again to see how much repeating moves a trial,
	// see Repeats in configs.Protocol. Like a final, it was prepared anew and took the fewest
	// samples.
	Spread bool `json:"spread,omitempty"`
}

// Again reports whether r repeats a trial that has a result already.
func (r Result) Again() bool { return r.Sentinel || r.Final || r.Spread }
