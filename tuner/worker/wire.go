package worker

import (
	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

// A request is what the parent asks of its worker; exactly one field is set.
// Requests and replies alternate, encoded with encoding/gob, which carries NaN
// and infinities and tolerates a worker built with other tags.
type Request struct {
	Open  *configs.Device
	Roof  bool
	Load  *LoadRequest
	Trial *TrialRequest
}

type LoadRequest struct {
	Matrix configs.Matrix
	Seed   uint64 // of x
}

type TrialRequest struct {
	Trial    trial.Trial
	Protocol configs.Protocol
	Best     float64 // lowest median of its matrix, precision and cache state so far, in seconds; 0: there is none
}

// A reply answers the request before it. Err is set where it failed.
type Reply struct {
	Err     string
	Device  *kernels.Device
	Sources map[string]string // by kernel, of those that the device can run
	// NoSensors is why the device's sensors can't be read; "" if they can, or if it has
	// none.
	NoSensors string
	Roof      *kernels.Roof
	Matrix    *trial.Matrix
	Result    *trial.Result
	Effort    Effort // of the result, all but Trials and Wall
	// Spoiled says that the device or the process is in doubt after this
	// trial: the worker must be replaced.
	Spoiled bool
}
