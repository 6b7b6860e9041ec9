package tuner

import (
	"errors"
	"slices"
	"testing"

	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

// What the sensors say comes from the worker to the record, with where it was; that
// they can't be read is said at the start, and hinders nothing.
func TestTelemetryIsRecorded(t *testing.T) {
	var said []string
	opt := Options{Node: "n7", Job: "12_3", Observe: func(e Event) {
		if e.Started != nil {
			said = append(said, e.Started.NoSensors)
		}
	}}
	gpu, cpu := &memory{}, &memory{}
	runTest(t, onGPU(testSweep(behave, giveWrongSum)), gpu, opt)
	runTest(t, testSweep(behave), cpu, opt)
	if tel := gpu.by(t, behave).Telemetry; tel == nil || tel.SMClock != testReading.SMClock ||
		tel.Reasons != testReading.Reasons {
		t.Errorf("the telemetry is %+v", tel)
	}
	if tel := gpu.by(t, giveWrongSum).Telemetry; tel != nil {
		t.Errorf("a wrong result has %+v", *tel)
	}
	if r := cpu.by(t, behave); r.Status != trial.OK || r.Telemetry != nil {
		t.Errorf("without sensors: %s, %+v", r.Status, r.Telemetry)
	}
	if !slices.Equal(said, []string{"", errNoSensors.Error()}) {
		t.Errorf("at the start %q is said", said)
	}
	if want := (trial.Origin{Node: "n7", UUID: "GPU-1", Job: "12_3"}); gpu.run.Origin != want {
		t.Errorf("the origin is %+v, want %+v", gpu.run.Origin, want)
	}
}

var (
	testReading  = kernels.Reading{SMClock: 1980, Temperature: 50, Reasons: kernels.SWPowerCap, HasReasons: true}
	errNoSensors = errors.New("there are none to read")
)
