// SPDX-License-Identifier: Apache-2.0
// A library as NVML is, with one GPU. It is an old one with -DOLD: the reasons have
// their former name, and there is no energy. With -DOLDEST a call is missing.
#include <string.h>

enum { success = 0, not_supported = 3, not_found = 6 };
struct device;
static struct device *const gpu = (struct device *)16;

int nvmlInit_v2(void) { return success; }
int nvmlShutdown(void) { return success; }
const char *nvmlErrorString(int r) { return r == not_found ? "Not Found" : "some error"; }
int nvmlSystemGetDriverVersion(char *to, unsigned n) { strncpy(to, "535.161.08", n); return success; }
int nvmlDeviceGetHandleByUUID(const char *uuid, struct device **d) {
	*d = gpu;
	return strcmp(uuid, "GPU-1") == 0 ? success : not_found;
}
int nvmlDeviceGetClockInfo(struct device *d, int kind, unsigned *mhz) {
	*mhz = kind == 1 ? 1980 : kind == 2 ? 2619 : 0;
	return d == gpu ? success : not_found;
}
int nvmlDeviceGetTemperature(struct device *d, int sensor, unsigned *celsius) { *celsius = 34; return sensor; }
#ifndef OLDEST
int nvmlDeviceGetPowerUsage(struct device *d, unsigned *mw) { *mw = 71500; return success; }
#endif
#ifdef OLD
int nvmlDeviceGetTotalEnergyConsumption(struct device *d, unsigned long long *mj) { return not_supported; }
int nvmlDeviceGetCurrentClocksThrottleReasons(struct device *d, unsigned long long *r) { *r = 0x48; return success; }
#else
int nvmlDeviceGetTotalEnergyConsumption(struct device *d, unsigned long long *mj) { *mj = 1234567; return success; }
int nvmlDeviceGetCurrentClocksEventReasons(struct device *d, unsigned long long *r) { *r = 0x4; return success; }
#endif
