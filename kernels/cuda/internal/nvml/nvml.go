// Package nvml reads the sensors of an NVIDIA GPU through NVML, the driver's
// management library. The library is opened at run time: without it, Open says so,
// and all else goes on.
//
// A program with this package must bind symbols lazily, because those of NVML are not available
// when it starts. If the C compiler binds eagerly by default, CGO_LDFLAGS needs -Wl,-z,lazy,
// which the Makefile sets. Only the program built with CUDA links it.
package nvml

import (
	"errors"
	"fmt"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"spmvtune/kernels"
)

// Sensors are those of one GPU.
type Sensors struct {
	lib     nvml.Interface
	device  nvml.Device
	driver  string
	reasons func() (uint64, nvml.Return) // nil: this driver has no call for them
}

// needed are the calls that every driver from 2017 on has. One that is missing would end the
// program, not fail.
var needed = []string{
	"nvmlShutdown", "nvmlSystemGetDriverVersion", "nvmlDeviceGetHandleByUUID", "nvmlDeviceGetClockInfo",
	"nvmlDeviceGetTemperature", "nvmlDeviceGetPowerUsage", "nvmlDeviceGetTotalEnergyConsumption",
}

// Open returns the sensors of the GPU with this UUID, as the driver gives it: "GPU-…". Its
// number would not do: NVML counts otherwise than CUDA, and does not heed CUDA_VISIBLE_DEVICES.
// A slice of a GPU (MIG) has no sensors.
func Open(uuid string) (*Sensors, error) { return open(nvml.New(), uuid) }

func open(lib nvml.Interface, uuid string) (*Sensors, error) {
	switch r := lib.Init(); r {
	case nvml.SUCCESS:
	case nvml.ERROR_LIBRARY_NOT_FOUND:
		return nil, errors.New("NVML can't be opened: libnvidia-ml.so.1, which comes with the driver, is not found")
	default:
		return nil, fmt.Errorf("NVML can't be initialised: %s", lib.ErrorString(r))
	}

	s := &Sensors{lib: lib}
	if err := s.find(uuid); err != nil {
		lib.Shutdown()
		return nil, err
	}
	return s, nil
}

// find finds the device, and what can be called.
func (s *Sensors) find(uuid string) error {
	has := func(name string) bool { return s.lib.Extensions().LookupSymbol(name) == nil }
	for _, name := range needed {
		if !has(name) {
			return fmt.Errorf("this NVML is too old: it has no %s", name)
		}
	}

	var r nvml.Return
	if s.driver, r = s.lib.SystemGetDriverVersion(); r != nvml.SUCCESS {
		return fmt.Errorf("asking NVML for the driver's version: %s", s.lib.ErrorString(r))
	}
	if s.device, r = s.lib.DeviceGetHandleByUUID(uuid); r != nvml.SUCCESS {
		return fmt.Errorf("NVML has no sensors of the GPU %q: %s", uuid, s.lib.ErrorString(r))
	}

	switch { // renamed with the driver 535
	case has("nvmlDeviceGetCurrentClocksEventReasons"):
		s.reasons = s.device.GetCurrentClocksEventReasons
	case has("nvmlDeviceGetCurrentClocksThrottleReasons"):
		s.reasons = s.device.GetCurrentClocksThrottleReasons
	}
	return nil
}

// Driver is the version of the driver: "535.161.08".
func (s *Sensors) Driver() string { return s.driver }

// Read reads the sensors but for the energy counter, in 2 µs on an H100, or 0.1 ms after a
// pause. Values that this GPU does not report are 0.
//
// From Ampere on, Power is a mean over the last second; on the A100 (GA100) and older GPUs it
// is the momentary value (NVML API reference, nvmlDeviceGetPowerUsage).
func (s *Sensors) Read() kernels.Reading {
	var read kernels.Reading
	if v, r := s.device.GetClockInfo(nvml.CLOCK_SM); r == nvml.SUCCESS {
		read.SMClock = int(v)
	}
	if v, r := s.device.GetClockInfo(nvml.CLOCK_MEM); r == nvml.SUCCESS {
		read.MemoryClock = int(v)
	}

	if v, r := s.device.GetTemperature(nvml.TEMPERATURE_GPU); r == nvml.SUCCESS {
		read.Temperature = int(v)
	}
	if v, r := s.device.GetPowerUsage(); r == nvml.SUCCESS {
		read.Power = float64(v) / 1e3
	}

	if s.reasons != nil {
		if v, r := s.reasons(); r == nvml.SUCCESS {
			read.Reasons, read.HasReasons = kernels.ClockReasons(v), true
		}
	}
	return read
}

// Energy is the energy in joules that the GPU has used from the loading of the driver on; 0 if
// it does not report it, as before Volta. On an H100 the driver takes 3.3 ms for it, during
// which the calling thread does nothing else.
func (s *Sensors) Energy() float64 {
	v, r := s.device.GetTotalEnergyConsumption()
	if r != nvml.SUCCESS {
		return 0
	}
	return float64(v) / 1e3
}

// Close ends the use of NVML. The sensors can't be read after it.
func (s *Sensors) Close() error {
	if r := s.lib.Shutdown(); r != nvml.SUCCESS {
		return fmt.Errorf("closing NVML: %s", s.lib.ErrorString(r))
	}
	return nil
}
