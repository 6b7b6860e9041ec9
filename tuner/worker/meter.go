package worker

import (
	"fmt"
	"time"

	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

// Sensors is what a backend has whose device can be asked for its clocks,
// temperature and power. The device is asked between samples, when nothing runs.
type Sensors interface {
	// Sense reads the sensors, in microseconds. An error says why that can't be done,
	// for as long as the backend is open.
	Sense() (kernels.Reading, error)
	// Energy is what the device has used, in joules since some moment; 0 if it does
	// not tell. Asking may take milliseconds.
	Energy() float64
}

// mostRepeats is how many batches of a trial are taken again at most. A spike of
// power or a change of clocks is over by then; a device that is too hot stays so for
// seconds, and waiting for it would cost more than it gives.
const mostRepeats = 4

// A meter accompanies the samples of one trial. Without sensors it does nothing.
type meter struct {
	sensors Sensors // nil: there are none
	tel     *trial.Telemetry
	energy  energyMeter
	last    kernels.Reading
	repeats int // batches that were dropped
}

// newMeter reads the sensors for the first time.
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

// read reads the sensors and notes extremes.
func (m *meter) read() kernels.Reading {
	r, _ := m.sensors.Sense() // without figures, if it fails now
	r.Reasons &^= kernels.GPUIdle
	t := m.tel
	t.SMClock = lower(t.SMClock, r.SMClock)
	t.MemoryClock = lower(t.MemoryClock, r.MemoryClock)
	t.Temperature = max(t.Temperature, r.Temperature)
	t.Power = max(t.Power, r.Power)
	return r
}

// lower is the lower of two figures, 0 being none.
func lower(a, b int) int {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// took notes a batch of samples that was just taken, in seconds per product. It is to
// be dropped and taken again where the device throttled when it began or when it
// ended, unless it is late or that has happened too often.
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

// finish gives r what was noted, with a warning where the device throttled.
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
