package worker

import (
	"testing"
	"time"

	"spmvtune/configs"
	"spmvtune/kernels"
)

// Who used the processor is told from two readings.
func TestHostUse(t *testing.T) {
	before := HostReading{Total: 1000, Busy: 300, Stolen: 5, Own: 50, Switches: 70}
	after := HostReading{Total: 1020, Busy: 312, Stolen: 7, Own: 59, Switches: 100}
	got := before.until(after)
	if want := (HostUse{Cores: 20, Others: 3, Stolen: 2, Switches: 30, Own: 9 * time.Second}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if none := after.until(after); none != (HostUse{}) || none.Crowded() {
		t.Errorf("of no time: %+v", none)
	}
}

func TestCrowded(t *testing.T) {
	for name, c := range map[string]struct {
		use  HostUse
		want bool
	}{
		"alone":                     {HostUse{Cores: 20, Others: 0.5, Stolen: 0.1, Switches: 200, Own: 10 * time.Second}, false},
		"others work":               {HostUse{Cores: 20, Others: 2, Own: 10 * time.Second}, true},
		"the hypervisor takes":      {HostUse{Cores: 20, Stolen: 0.5, Own: 10 * time.Second}, true},
		"the worker is interrupted": {HostUse{Cores: 20, Switches: 1000, Own: 10 * time.Second}, true},
		"too short to tell":         {HostUse{Cores: 1, Others: 1, Own: time.Second}, false},
		"nothing can be read":       {HostUse{Switches: 5000, Own: time.Second}, false},
	} {
		if got := c.use.Crowded(); got != c.want {
			t.Errorf("%s: %t, want %t", name, got, c.want)
		}
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
		if got := w.readHost(configs.Protocol{Launch: tt.launch}) != (HostReading{}); got != tt.want {
			t.Errorf("%s, %s: read %t, want %t", tt.backend, tt.launch, got, tt.want)
		}
	}
}

// An onlyDevice is a backend that has a device and nothing else.
type onlyDevice struct {
	kernels.Backend
	device kernels.Device
}

func (o onlyDevice) Device() kernels.Device { return o.device }
