package trial

import "spmvtune/kernels"

// Telemetry is what the sensors of the device said around the samples of a trial: before the
// first and after each batch. A number that the device does not report is 0.
type Telemetry struct {
	SMClock     int     `json:"sm_mhz,omitempty"`     // lowest clock in MHz
	MemoryClock int     `json:"memory_mhz,omitempty"` // lowest clock in MHz
	Temperature int     `json:"celsius,omitempty"`    // highest temperature
	Power       float64 `json:"watts,omitempty"`      // highest power
	// Energy is that of the whole board in joules per product; 0 if the trial did not last
	// long enough to tell.
	Energy float64 `json:"joules,omitempty"`
	// Reasons are why the clocks were reduced around the samples that were kept. They are
	// known only if HasReasons is set.
	Reasons    kernels.ClockReasons `json:"reasons,omitempty"`
	HasReasons bool                 `json:"has_reasons,omitempty"`
	// Repeated is the number of samples that were taken again because the device throttled.
	Repeated int `json:"repeated,omitempty"`
	// Throttled is the number of samples that were kept although the device throttled.
	Throttled int `json:"throttled,omitempty"`
}
