//go:build cuda

package cuda

import (
	"testing"
	"time"

	"spmvtune/kernels"
)

// sensed reads the sensors, or says why they can't be read.
func sensed(t *testing.T, b *Backend) kernels.Reading {
	t.Helper()
	r, err := b.Sense()
	if err != nil {
		t.Skipf("the sensors can't be read: %v", err)
	}
	return r
}

// While products run the sensors say what such a device can be: it is faster than
// idle, warm, draws power, and uses as much energy as power and time make.
func TestGPUBackendSensors(t *testing.T) {
	b, _ := loadedGPU(t)
	before := sensed(t, b)
	p := preparedGPU(t, b, scalarGPU)
	samples := make([]float64, 1000)
	used := b.Energy()
	start := time.Now()
	var r kernels.Reading

	var power float64 // J/s, a mean over the readings
	reads := 0
	for ; time.Since(start) < 3*time.Second; reads++ {
		if err := p.Sample(samples, 20, false); err != nil {
			t.Fatal(err)
		}
		r = sensed(t, b)
		power += r.Power
	}

	elapsed := time.Since(start).Seconds()
	power /= float64(reads)
	t.Logf("before: %+v", before)
	t.Logf("after %d readings in %.2f s: %+v", reads, elapsed, r)

	for _, f := range []struct {
		name           string
		got, low, high float64
	}{
		{"SM clock, MHz", float64(r.SMClock), 200, 4000},
		{"memory clock, MHz", float64(r.MemoryClock), 200, 20000},
		{"temperature", float64(r.Temperature), 5, 110},
		{"power, W", r.Power, 5, 1500},
	} {
		if f.got < f.low || f.got > f.high {
			t.Errorf("%s is %g, want %g to %g", f.name, f.got, f.low, f.high)
		}
	}

	if !r.HasReasons {
		t.Error("no reasons of the clocks are told")
	}
	if used == 0 {
		t.Log("this device counts no energy")
		return
	}

	mean := (b.Energy() - used) / elapsed
	t.Logf("energy: %.1f W on average, the power sensor said %.1f W", mean, power)
	// Power lags by a second.
	if mean < power/2 || mean > 2*power {
		t.Errorf("the energy of %.2f s is that of %.1f W, the power is %.1f W", elapsed, mean, power)
	}
}

// What a reading costs is reported, not judged.
func TestGPUBackendSensorsCost(t *testing.T) {
	b, _ := loadedGPU(t)
	sensed(t, b)
	const turns = 1000
	start := time.Now()
	for range turns {
		sensed(t, b)
	}

	t.Logf("a reading of the sensors takes %v", time.Since(start)/turns)
	start = time.Now()
	for range turns / 10 {
		b.Energy()
	}
	t.Logf("a reading of the energy counter takes %v", time.Since(start)/(turns/10))
}

// The sensors of a device that is closed can't be read, and it can be opened again.
func TestGPUBackendSensorsReopen(t *testing.T) {
	opened, err := Open(0)
	if err != nil {
		t.Fatal(err)
	}
	b := opened.(*Backend)
	sensed(t, b)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Sense(); err == nil {
		t.Error("a closed device was read")
	}

	again := openGPU(t)
	if r := sensed(t, again); r.SMClock == 0 {
		t.Errorf("after opening again: %+v", r)
	}
}
