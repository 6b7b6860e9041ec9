// SPDX-License-Identifier: Apache-2.0

package worker

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/stat"
	"example.org/spmvtune/tuner/trial"
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
	t.SMClock = stat.Lower(t.SMClock, r.SMClock)
	t.MemoryClock = stat.Lower(t.MemoryClock, r.MemoryClock)
	t.Temperature = max(t.Temperature, r.Temperature)
	t.Power = max(t.Power, r.Power)
	return r
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

// confidence is the least coverage of the interval of a median.
const confidence = 0.95

// cut returns how many of n samples can be cut off on either side, and the probability that
// the rest misses the median: that at most k samples lie below it, or at most k above.
func cut(n int) (k int, missed float64) {
	b := distuv.Binomial{N: float64(n), P: 0.5}
	misses := func(k int) float64 { return 2 * b.CDF(float64(k)) }
	// The normal distribution gives a start, because this is asked after every batch.
	k = max(0, int(float64(n)/2-math.Sqrt(float64(n))))
	for k > 0 && misses(k) > 1-confidence {
		k--
	}
	for k+1 < (n+1)/2 && misses(k+1) <= 1-confidence {
		k++
	}
	return k, misses(k)
}

// An interval is a median with its interval, which is never narrower than the clock.
//
// It reaches from one of the samples to another, so that it covers the true median with at least
// 95% confidence, whatever the distribution (order statistics: the number of samples below the
// median is binomial with p = 1/2; David and Nagaraja, Order Statistics, 3rd ed., 7.1). Fewer than
// six samples can't reach 95%: the interval is their whole range, and covered is less.
//
// The time that a ticking clock shows is within half a tick of the truth (JCGM 100:2008,
// F.2.2.1). Where samples agree better than that, the agreement is the clock's, and the
// interval is a tick wide.
type interval struct {
	mid, low, high float64
	covered        float64
	narrowest      bool // whether the samples agree within a tick: more of them can't narrow it
}

// newInterval returns the interval of samples, of which there is one at least, by a clock whose ticks are tick seconds
// of a product.
func newInterval(samples []float64, tick float64) interval {
	sorted := slices.Sorted(slices.Values(samples))
	k, missed := cut(len(sorted))
	i := interval{mid: stat.Median(sorted), low: sorted[k], high: sorted[len(sorted)-1-k], covered: 1 - missed}
	i.narrowest = tick > 0 && i.covered >= confidence && i.high-i.low <= tick
	if tick > 0 {
		i.low = min(i.low, max(0, i.mid-tick/2))
		i.high = max(i.high, i.mid+tick/2)
	}
	return i
}

// within reports whether the interval is within ± target of the median.
func (i interval) within(target float64) bool {
	return i.covered >= confidence && i.high-i.mid <= target*i.mid && i.mid-i.low <= target*i.mid
}

// summarize fills r's median and interval from its samples.
func summarize(r *trial.Result, tick float64) {
	i := newInterval(r.Samples, tick)
	r.Median, r.WithinLow, r.WithinHigh = i.mid, i.low, i.high
	if i.covered < confidence {
		r.Warnings = append(r.Warnings, "too few samples for a 95% interval: it is their whole range")
	}
}

const (
	// energyDelay is how long a trial takes samples before the energy counter is read for
	// the first time. Reading it takes 3.3 ms on an H100, a thirtieth of this. Most trials
	// are over sooner.
	energyDelay = 100 * time.Millisecond
	// leastEnergyTime is how long sampling must go on after that for the energy of a
	// product to be known. The counter advances about every 100 ms (Zeus,
	// https://ml.energy/zeus, and Yang et al., Accurate and Convenient Energy
	// Measurements for GPUs, SC24, for A100 and H100), so that a tenth is uncertain then,
	// and less the longer it lasts.
	leastEnergyTime = time.Second
	// leastBusy is the share of that time that products have to fill, because the counter
	// includes everything.
	leastBusy = 0.9
)

// An energyMeter measures the energy of the products of a trial that lasts long enough.
type energyMeter struct {
	off     bool      // whether samples are cold: flushing costs energy, too
	started time.Time // when sampling began
	since   time.Time // when the counter was first read
	first   float64   // the counter then in joules; 0: it was not read yet
	busy    float64   // seconds spent in products since then, dropped ones included
	done    int       // number of these products
}

// took notes samples that were just taken, in seconds per product.
func (m *energyMeter) took(s Sensors, samples []float64, batch int) {
	switch {
	case m.off || time.Since(m.started) < energyDelay:
	case m.first == 0:
		m.first, m.since = s.Energy(), time.Now()
		m.off = m.first == 0
	default:
		m.busy += floats.Sum(samples) * float64(batch)
		m.done += len(samples) * batch
	}
}

// perProduct returns the energy of a product in joules; 0 if it is not known.
func (m *energyMeter) perProduct(s Sensors) float64 {
	if m.first == 0 || time.Since(m.since) < leastEnergyTime {
		return 0
	}
	used, elapsed := s.Energy()-m.first, time.Since(m.since)
	if used <= 0 || m.busy < leastBusy*elapsed.Seconds() {
		return 0
	}
	return used / float64(m.done)
}

// A TimeBreakdown is where the time of a run went. Each part but Busy is apart from the others.
type TimeBreakdown struct {
	Trials  int
	Wall    time.Duration // of each device, from before it is opened until its last process has ended
	Kernels time.Duration // products that were timed
	Launch  time.Duration // around these: flushing caches, launching, waiting for the device
	Check   time.Duration // products that were checked: the first of each trial, and those of probes
	Verify  time.Duration // copies of y, comparisons
	Prepare time.Duration // formats, uploads, references
	Sense   time.Duration // the device's sensors
	Own     time.Duration // what else the worker does in a trial
	Wait    time.Duration // a worker's for its next request: what the parent plans, and on a processor records
	Load    time.Duration // matrices: reading, hashing, features, the device's arrays
	Start   time.Duration // ending and starting processes, opening devices, their bandwidth, compiling kernels
	// Busy is how long the device computed products and flushed caches, as far as it has a clock. On a processor it
	// is Kernels and Launch.
	Busy time.Duration
}

// Rest returns the part of Wall that is not accounted for, such as trials whose worker died.
func (e TimeBreakdown) Rest() time.Duration {
	return e.Wall - e.trial() - e.Own - e.Wait - e.Load - e.Start
}

// trial is what is measured within trials.
func (e TimeBreakdown) trial() time.Duration {
	return e.Kernels + e.Launch + e.Check + e.Verify + e.Prepare + e.Sense
}

// Add adds o.
func (e *TimeBreakdown) Add(o TimeBreakdown) {
	to, from := reflect.ValueOf(e).Elem(), reflect.ValueOf(o)
	for i := range to.NumField() {
		to.Field(i).SetInt(to.Field(i).Int() + from.Field(i).Int())
	}
}

// Spend adds the time since start.
func Spend(on *time.Duration, start time.Time) { *on += time.Since(start) }

// sensing returns sensors that note how long it takes to read them; nil if there are none.
func (e *TimeBreakdown) sensing(s Sensors) Sensors {
	if s == nil {
		return nil
	}
	return meteredSensors{s, e}
}

type meteredSensors struct {
	Sensors
	effort *TimeBreakdown
}

func (m meteredSensors) Sense() (kernels.Reading, error) {
	defer Spend(&m.effort.Sense, time.Now())
	return m.Sensors.Sense()
}

func (m meteredSensors) Energy() float64 {
	defer Spend(&m.effort.Sense, time.Now())
	return m.Sensors.Energy()
}

// A metered product notes where the time of its samples goes.
type metered struct {
	kernels.Product
	effort *TimeBreakdown
}

func (m metered) Sample(dst []float64, batch int, cold bool) error {
	start := time.Now()
	err := m.Product.Sample(dst, batch, cold)
	wall := time.Since(start)
	busy := time.Duration(min(max(floats.Sum(dst)*float64(batch)*1e9, 0), float64(wall)))
	m.effort.Kernels += busy
	m.effort.Launch += wall - busy
	return err
}
