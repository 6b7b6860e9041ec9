package trial

import "spmvtune/kernels"

// Telemetry is what the sensors of the device said around the samples of a trial:
// before the first and after each batch of them. A figure that the device does not
// tell is 0.
type Telemetry struct {
	SMClock     int     `json:"sm_mhz,omitempty"`     // MHz, the lowest
	MemoryClock int     `json:"memory_mhz,omitempty"` // MHz, the lowest
	Temperature int     `json:"celsius,omitempty"`    // the highest
	Power       float64 `json:"watts,omitempty"`      // the highest
	// Energy is that of the whole board in joules per product; 0 where sampling did
	// not last long enough to tell, see leastEnergyTime.
	Energy float64 `json:"joules,omitempty"`
	// Reasons are all why the clocks were below the highest around the samples that
	// were kept; nothing is known of them unless HasReasons.
	Reasons    kernels.ClockReasons `json:"reasons,omitempty"`
	HasReasons bool                 `json:"has_reasons,omitempty"`
	Repeated   int                  `json:"repeated,omitempty"`  // samples that were dropped, since the device throttled, and taken again
	Throttled  int                  `json:"throttled,omitempty"` // samples that were kept though it did
}
