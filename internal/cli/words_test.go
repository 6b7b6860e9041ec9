package cli

import (
	"strings"
	"testing"

	"spmvtune/internal/testing/testkit"
	"spmvtune/kernels"
)

func TestSensorsText(t *testing.T) {
	for _, tt := range []struct {
		reading kernels.Reading
		want    string
	}{
		{kernels.Reading{SMClock: 1980, MemoryClock: 2619, Temperature: 34, Power: 71.5, HasReasons: true},
			"driver 535.161.08, SM 1980 MHz, memory 2619 MHz, 34 °C, 72 W"},
		{kernels.Reading{Temperature: 90, Reasons: kernels.HWSlowdown | kernels.HWThermalSlowdown, HasReasons: true},
			"driver 535.161.08, 90 °C, clocks held down by hw_slowdown hw_thermal_slowdown"},
		{kernels.Reading{}, "driver 535.161.08"},
	} {
		testkit.Equal(t, sensorsText(tt.reading, "535.161.08"), tt.want, "%+v", tt.reading)
	}
}

// A sweep is not called measured while repeat runs are missing.
func TestPlanSaysWhichRepeatRunsAreMissing(t *testing.T) {
	p := planned{Trials: 4, Finished: 4}
	testkit.Equal(t, p.sum(), "4 trials, all measured already", "with nothing missing")
	for n, want := range map[int]string{1: "at least 1 repeat run is missing", 3: "at least 3 repeat runs are missing"} {
		p.Repeats = n
		if got := p.sum(); !strings.Contains(got, want) {
			t.Errorf("with %d missing: %q", n, got)
		}
	}
}

// What run measures without the GPU is what is left of the other trials.
func TestPlanCountsWhatIsLeftWithoutGPU(t *testing.T) {
	p := planned{Trials: 10, Finished: 5, Absent: 6, absentFinished: 2}
	if got := p.sum(); !strings.HasSuffix(got, "\n6 of them are for the GPU, which is not here: here, run leaves them out "+
		"and measures 1") {
		t.Errorf("%q", got)
	}
	p = planned{Trials: 5, Absent: 1}
	if got := p.sum(); !strings.HasSuffix(got, "\n1 of them is for the GPU, which is not here: here, run leaves it out "+
		"and measures 4") {
		t.Errorf("%q", got)
	}
	p.Finished, p.absentFinished = 5, 1
	if got := p.sum(); got != "5 trials, all measured already" {
		t.Errorf("%q", got)
	}
}

// A changed protocol is said in the words of the sweep file.
func TestProtocolChange(t *testing.T) {
	const old = "warmup=3 samples=6..8 target=0.01 budget=5ms seed=1 launch=graph slow=3"
	for _, tt := range []struct{ now, want string }{
		{old, ""},
		{"warmup=3 samples=6..8 target=0.01 budget=9ms seed=1 launch=graph slow=3", "trial_budget changed from 5ms to 9ms"},
		{"warmup=4 samples=6..9 target=0.01 budget=5ms seed=1 launch=graph",
			"warmup changed from 3 to 4, samples changed from 6..8 to 6..9, slow = 3 was removed"},
		{old + " other=1", "other = 1 was added"},
	} {
		testkit.Equal(t, protocolChange(old, tt.now), tt.want, "%s", tt.now)
	}
}
