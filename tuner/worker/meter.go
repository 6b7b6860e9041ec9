package worker

import (
	"fmt"
	"time"

	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

// Sensors are implemented by a backend whose device reports its clocks, temperature and
// power. They are read between samples, when nothing runs.
type Sensors interface {
	// Sense reads the sensors, which takes microseconds. An error says why they can't be
	// read, as long as the backend is open.
	Sense() (kernels.Reading, error)
	// Energy returns what the device has used since some moment, in joules; 0 if it is not
	// known. Asking may take milliseconds.
	Energy() float64
}

// mostRepeats is how many batches of a trial are taken again, at most. A spike of power or
// a change of clocks is over by then. A device that is too hot stays so for seconds, and
// waiting for it would cost more than it gains.
const mostRepeats = 4

// A meter accompanies the samples of one trial. Without sensors it does nothing.
type meter struct {
	sensors Sensors // nil: there are none
	tel     *trial.Telemetry
	energy  energyMeter
	last    kernels.Reading
	repeats int // number of batches that were dropped
}

// newMeter returns a meter after reading the sensors for the first time.
func newMeter(s Sensors, cold bool) *meter {
	m := &meter{sensors: s}
	if s == nil {
		return m
	}
	m.tel = &trial.Telemetry{}
	m.last = m.read()
	m.energy = energyMeter{off: cold, started: time.Now()}
	return m
}

// read reads the sensors and notes the extremes.
func (m *meter) read() kernels.Reading {
	r, _ := m.sensors.Sense() // zero if it fails now
	r.Reasons &^= kernels.GPUIdle
	t := m.tel
	t.SMClock = lower(t.SMClock, r.SMClock)
	t.MemoryClock = lower(t.MemoryClock, r.MemoryClock)
	t.Temperature = max(t.Temperature, r.Temperature)
	t.Power = max(t.Power, r.Power)
	return r
}

// lower returns the lower of two figures, where 0 means none.
func lower(a, b int) int {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// took notes a batch of samples that was just taken, in seconds per product. It returns
// whether to drop the batch and take it again: if the device throttled when the batch
// began or ended, unless it is late or that has happened too often.
func (m *meter) took(samples []float64, batch int, late bool) (again bool) {
	if m.sensors == nil {
		return false
	}
	m.energy.took(m.sensors, samples, batch)
	before := m.last
	m.last = m.read()

	reasons := before.Reasons | m.last.Reasons
	throttled := reasons&kernels.Throttling != 0
	if throttled && !late && m.repeats < mostRepeats {
		m.repeats++
		m.tel.Repeated += len(samples)
		return true
	}

	if throttled {
		m.tel.Throttled += len(samples)
	}
	m.tel.Reasons |= reasons
	m.tel.HasReasons = m.tel.HasReasons || before.HasReasons || m.last.HasReasons
	return false
}

// finish adds to r what was noted, with a warning if the device throttled.
func (m *meter) finish(r *trial.Result) {
	if m.sensors == nil {
		return
	}
	m.tel.Energy = m.energy.perProduct(m.sensors)
	r.Telemetry = m.tel
	if m.tel.Throttled > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%d of %d samples were taken while the device throttled (%s)",
			m.tel.Throttled, len(r.Samples), m.tel.Reasons&kernels.Throttling))
	}
}
