package cli

import (
	"testing"

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
		if got := sensorsText(tt.reading, "535.161.08"); got != tt.want {
			t.Errorf("%+v is %q, want %q", tt.reading, got, tt.want)
		}
	}
}
