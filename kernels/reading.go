package kernels

import "strings"

// A Reading has the values of a device's sensors at one moment. A value that the device does
// not report is 0.
type Reading struct {
	SMClock     int     `json:"sm_mhz,omitempty"`     // MHz, of the multiprocessors
	MemoryClock int     `json:"memory_mhz,omitempty"` // MHz
	Temperature int     `json:"celsius,omitempty"`
	Power       float64 `json:"watts,omitempty"` // of the board; some devices tell a mean over the last second
	// Reasons are the reasons for clocks below the highest. They are known only if HasReasons.
	Reasons    ClockReasons `json:"reasons,omitempty"`
	HasReasons bool         `json:"has_reasons,omitempty"`
}

// ClockReasons say why a device runs slower than it could. They are a set of bits, those of
// NVML's nvmlClocksEventReasons.
type ClockReasons uint64

const (
	GPUIdle            ClockReasons = 0x1  // nothing runs
	ApplicationsClocks ClockReasons = 0x2  // set by a user
	SWPowerCap         ClockReasons = 0x4  // the power limit
	HWSlowdown         ClockReasons = 0x8  // too hot, too much power, or a brake: half the clock or less
	SyncBoost          ClockReasons = 0x10 // another GPU of a group is slower
	SWThermalSlowdown  ClockReasons = 0x20 // too hot, as the driver sees it
	HWThermalSlowdown  ClockReasons = 0x40 // too hot: half the clock or less
	HWPowerBrake       ClockReasons = 0x80 // the power supply asked for it: half the clock or less
	DisplayClocks      ClockReasons = 0x100
)

// Throttling are the temporary reasons, which spoil measurements while they last.
//
// Note: the power limit is not among them. A fully loaded card runs at its limit all the time:
// measuring again would give the same result, and the product would run no faster in practice.
const Throttling = HWSlowdown | SWThermalSlowdown | HWThermalSlowdown | HWPowerBrake

var reasonNames = []string{"gpu_idle", "applications_clocks", "sw_power_cap", "hw_slowdown", "sync_boost",
	"sw_thermal_slowdown", "hw_thermal_slowdown", "hw_power_brake", "display_clocks"}

// String names the reasons, in the order of their bits, with a blank between; "" if
// there are none. Bits of newer drivers have no name.
func (r ClockReasons) String() string {
	var names []string
	for bit, name := range reasonNames {
		if r&(1<<bit) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}
