package worker

import (
	"time"

	"spmvtune/kernels"
)

// An Effort is where the time of trials went, as sums over the trials.
type Effort struct {
	Trials int
	// Wall is the time from asking for a trial until it is recorded. Where trials overlap,
	// it counts once.
	Wall    time.Duration
	Kernels time.Duration // products that were timed
	Launch  time.Duration // around these: flushing caches, launching, waiting for the device
	Verify  time.Duration // products that were checked, copies of y, comparisons
	Prepare time.Duration // formats, uploads, references
	Sense   time.Duration // the device's sensors
}

// Rest returns the part of Wall that is this program's own.
func (e Effort) Rest() time.Duration {
	return e.Wall - e.Kernels - e.Launch - e.Verify - e.Prepare - e.Sense
}

// Add adds o.
func (e *Effort) Add(o Effort) {
	e.Trials += o.Trials
	e.Wall += o.Wall
	e.Kernels += o.Kernels
	e.Launch += o.Launch
	e.Verify += o.Verify
	e.Prepare += o.Prepare
	e.Sense += o.Sense
}

// spend adds the time since start.
func spend(on *time.Duration, start time.Time) { *on += time.Since(start) }

// sensing returns sensors that note how long it takes to read them; nil if there are none.
func (e *Effort) sensing(s Sensors) Sensors {
	if s == nil {
		return nil
	}
	return meteredSensors{s, e}
}

type meteredSensors struct {
	Sensors
	effort *Effort
}

func (m meteredSensors) Sense() (kernels.Reading, error) {
	defer spend(&m.effort.Sense, time.Now())
	return m.Sensors.Sense()
}

func (m meteredSensors) Energy() float64 {
	defer spend(&m.effort.Sense, time.Now())
	return m.Sensors.Energy()
}

// A metered product notes where the time of its samples goes.
type metered struct {
	kernels.Product
	effort *Effort
}

func (m metered) Sample(dst []float64, batch int, cold bool) error {
	start := time.Now()
	err := m.Product.Sample(dst, batch, cold)
	wall, products := time.Since(start), 0.0

	for _, s := range dst {
		products += s * float64(batch)
	}
	busy := time.Duration(min(max(products*1e9, 0), float64(wall)))
	m.effort.Kernels += busy
	m.effort.Launch += wall - busy
	return err
}
