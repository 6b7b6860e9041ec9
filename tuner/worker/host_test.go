// SPDX-License-Identifier: Apache-2.0

package worker

import (
	"math"
	"testing"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/trial"
)

// Who used the processor is told from two readings.
func TestHostUse(t *testing.T) {
	before := hostReading{Total: 1000, Busy: 300, Stolen: 5, Own: 50, Switches: 70}
	after := hostReading{Total: 1020, Busy: 312, Stolen: 7, Own: 59, Switches: 100}
	got := new(hostMeter).use(before, after)
	testkit.Equal(t, got, trial.HostUse{Cores: 20, Others: 3, Stolen: 2, Switches: 30, Own: 9}, "the use")
	none := new(hostMeter).use(after, after)
	testkit.Check(t, none == (trial.HostUse{}) && !none.Crowded(), "of no time: %+v", none)
}

// Short trials, of which the system counts whole ticks, add up to what others did.
func TestHostUseOfShortTrials(t *testing.T) {
	ticks := func(seconds float64) float64 { return math.Floor(100*seconds) / 100 }
	for _, share := range []float64{0, 0.2} { // that others take of the other core
		meter, sum := hostMeter{}, trial.HostUse{}
		const takes = 0.0037
		for i := range 1000 {
			read := func(at float64) hostReading {
				return hostReading{Total: ticks(at) + ticks(share*at) + ticks((1-share)*at), Busy: ticks(at) + ticks(share*at),
					Own: at}
			}
			sum.Add(meter.use(read(float64(i)*takes), read(float64(i+1)*takes)))
		}
		got := sum.OthersShare()
		testkit.Check(t, math.Abs(got-share/2) <= 0.01, "others took %.3f of the cores, want %.3f", got, share/2)
	}
}

// Where a GPU replays graphs, the processor is in no time and is not looked at.
func TestHostIsReadWhereItMatters(t *testing.T) {
	for _, tt := range []struct {
		backend string
		launch  kernels.Launch
		want    bool
	}{{"cpu", kernels.Graph, true}, {"cuda", kernels.Stream, true}, {"cuda", kernels.Graph, false}} {
		w := &server{backend: onlyDevice{device: kernels.Device{Backend: tt.backend}}}
		testkit.Equal(t, w.readHost(configs.Protocol{Launch: tt.launch}) != (hostReading{}), tt.want,
			"%s, %s: read", tt.backend, tt.launch)
	}
}

// An onlyDevice is a backend that has a device and nothing else.
type onlyDevice struct {
	kernels.Backend
	device kernels.Device
}

func (o onlyDevice) Device() kernels.Device { return o.device }
