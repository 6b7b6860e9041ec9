package worker

import "time"

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
		for _, s := range samples {
			m.busy += s * float64(batch)
		}
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
