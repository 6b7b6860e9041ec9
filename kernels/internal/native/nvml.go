// SPDX-License-Identifier: Apache-2.0

package native

/*
#include <dlfcn.h>
#include <stdlib.h>

typedef struct spmv_nvml {
	int (*init)(void);
	int (*shutdown)(void);
	const char *(*text)(int);
	int (*driver)(char *, unsigned);
	int (*by_uuid)(const char *, void **);
	int (*clock)(void *, int, unsigned *);
	int (*temperature)(void *, int, unsigned *);
	int (*power)(void *, unsigned *);
	int (*energy)(void *, unsigned long long *);
	int (*reasons)(void *, unsigned long long *); // NULL: this driver has no call for them
	void *device;
} spmv_nvml;

// The numbers of nvmlClockType_t and nvmlTemperatureSensors_t.
enum { clock_sm = 1, clock_memory = 2, temperature_gpu = 0 };

// Every driver from 2017 on has these calls. Returns the name of one that is missing.
static const char *spmv_nvml_bind(spmv_nvml *n, void *library) {
	const struct {
		const char *name;
		void *to;
	} symbols[] = {
	    {"nvmlInit_v2", &n->init},
	    {"nvmlShutdown", &n->shutdown},
	    {"nvmlErrorString", &n->text},
	    {"nvmlSystemGetDriverVersion", &n->driver},
	    {"nvmlDeviceGetHandleByUUID", &n->by_uuid},
	    {"nvmlDeviceGetClockInfo", &n->clock},
	    {"nvmlDeviceGetTemperature", &n->temperature},
	    {"nvmlDeviceGetPowerUsage", &n->power},
	    {"nvmlDeviceGetTotalEnergyConsumption", &n->energy},
	};
	for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
		if (!(*(void **)symbols[i].to = dlsym(library, symbols[i].name))) return symbols[i].name;
	// Renamed with the driver 535.
	*(void **)&n->reasons = dlsym(library, "nvmlDeviceGetCurrentClocksEventReasons");
	if (!n->reasons) *(void **)&n->reasons = dlsym(library, "nvmlDeviceGetCurrentClocksThrottleReasons");
	return NULL;
}

static int spmv_nvml_init(spmv_nvml *n) { return n->init(); }
static int spmv_nvml_shutdown(spmv_nvml *n) { return n->shutdown(); }
static const char *spmv_nvml_text(spmv_nvml *n, int status) { return n->text(status); }
static int spmv_nvml_driver(spmv_nvml *n, char *to, unsigned size) { return n->driver(to, size); }
static int spmv_nvml_find(spmv_nvml *n, const char *uuid) { return n->by_uuid(uuid, &n->device); }

typedef struct spmv_reading {
	unsigned sm, memory, celsius, milliwatts;
	unsigned long long reasons;
	int has_reasons;
} spmv_reading;

static spmv_reading spmv_nvml_read(spmv_nvml *n) {
	spmv_reading r = {0};
	if (n->clock(n->device, clock_sm, &r.sm)) r.sm = 0;
	if (n->clock(n->device, clock_memory, &r.memory)) r.memory = 0;
	if (n->temperature(n->device, temperature_gpu, &r.celsius)) r.celsius = 0;
	if (n->power(n->device, &r.milliwatts)) r.milliwatts = 0;
	r.has_reasons = n->reasons && !n->reasons(n->device, &r.reasons);
	return r;
}

static unsigned long long spmv_nvml_energy(spmv_nvml *n) {
	unsigned long long millijoules = 0;
	return n->energy(n->device, &millijoules) ? 0 : millijoules;
}
*/
import "C"

import (
	"errors"
	"fmt"
	"unsafe"

	"example.org/spmvtune/kernels"
)

// Sensors are those of one NVIDIA GPU. They are read through NVML, the driver's management library.
type Sensors struct {
	lib    *C.spmv_nvml
	driver string
}

// OpenSensors returns the sensors of the GPU with this UUID, as the driver gives it: "GPU-…". Its
// number would not do: NVML counts otherwise than CUDA, and does not heed CUDA_VISIBLE_DEVICES.
// A slice of a GPU (MIG) has no sensors.
func OpenSensors(uuid string) (*Sensors, error) { return openSensors("libnvidia-ml.so.1", uuid) }

func openSensors(path, uuid string) (*Sensors, error) {
	name, id := C.CString(path), C.CString(uuid)
	defer C.free(unsafe.Pointer(name))
	defer C.free(unsafe.Pointer(id))
	library := C.dlopen(name, C.RTLD_LAZY|C.RTLD_LOCAL)
	if library == nil {
		return nil, errors.New("NVML can't be opened: libnvidia-ml.so.1, which comes with the driver, is not found")
	}
	s := &Sensors{lib: (*C.spmv_nvml)(C.calloc(1, C.size_t(unsafe.Sizeof(C.spmv_nvml{}))))}
	if missing := C.spmv_nvml_bind(s.lib, library); missing != nil {
		C.free(unsafe.Pointer(s.lib))
		return nil, fmt.Errorf("this NVML is too old: it has no %s", C.GoString(missing))
	}
	if r := C.spmv_nvml_init(s.lib); r != 0 {
		defer C.free(unsafe.Pointer(s.lib))
		return nil, fmt.Errorf("NVML can't be initialised: %s", s.said(r))
	}

	var driver [96]C.char
	if r := C.spmv_nvml_driver(s.lib, &driver[0], C.uint(len(driver))); r != 0 {
		defer s.Close()
		return nil, fmt.Errorf("asking NVML for the driver's version: %s", s.said(r))
	}
	s.driver = C.GoString(&driver[0])
	if r := C.spmv_nvml_find(s.lib, id); r != 0 {
		defer s.Close()
		return nil, fmt.Errorf("NVML has no sensors of the GPU %q: %s", uuid, s.said(r))
	}
	return s, nil
}

// said is the library's word for a status.
func (s *Sensors) said(status C.int) string { return C.GoString(C.spmv_nvml_text(s.lib, status)) }

// Driver is the version of the driver: "535.161.08".
func (s *Sensors) Driver() string { return s.driver }

// Read reads the sensors but for the energy counter, in 2 µs on an H100, or 0.1 ms after a
// pause. Values that this GPU does not report are 0.
//
// From Ampere on, Power is a mean over the last second; on the A100 (GA100) and older GPUs it
// is the momentary value (NVML API reference, nvmlDeviceGetPowerUsage).
func (s *Sensors) Read() kernels.Reading {
	r := C.spmv_nvml_read(s.lib)
	return kernels.Reading{
		SMClock: int(r.sm), MemoryClock: int(r.memory), Temperature: int(r.celsius), Power: float64(r.milliwatts) / 1e3,
		Reasons: kernels.ClockReasons(r.reasons), HasReasons: r.has_reasons != 0,
	}
}

// Energy is the energy in joules that the GPU has used from the loading of the driver on; 0 if
// it does not report it, as before Volta. On an H100 the driver takes 3.3 ms for it, during
// which the calling thread does nothing else.
func (s *Sensors) Energy() float64 { return float64(C.spmv_nvml_energy(s.lib)) / 1e3 }

// Close ends the use of NVML. The sensors can't be read after it.
func (s *Sensors) Close() error {
	defer C.free(unsafe.Pointer(s.lib))
	if r := C.spmv_nvml_shutdown(s.lib); r != 0 {
		return fmt.Errorf("closing NVML: %s", s.said(r))
	}
	return nil
}
