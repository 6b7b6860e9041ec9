package worker

import (
	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

// A Request is what the parent asks of its worker; exactly one field is set. Requests and
// replies alternate, encoded with encoding/gob, which carries NaN and infinities and
// tolerates a worker that was built with other tags.
type Request struct {
	Open  *OpenRequest
	Build []kernels.Config // of own kernels, to be compiled before the first is measured
	Roof  bool
	Load  *LoadRequest
	Trial *TrialRequest
}

// An OpenRequest asks for a device.
type OpenRequest struct {
	Device configs.Device
	// Own are the kernels that the sweep defines, and Compiled the folder of what is compiled.
	Own      []kernels.Own
	Compiled string
	// Scratch is the folder of the sweep's programs, "" if it has none.
	Scratch string
}

// A LoadRequest asks for a matrix.
type LoadRequest struct {
	Matrix configs.Matrix
	Seed   uint64 // for the vector x
	// Looking says that nothing will be measured: only the description is wanted, and nothing is kept.
	Looking bool
}

// A TrialRequest asks for a trial.
type TrialRequest struct {
	Trial    trial.Trial
	Protocol configs.Protocol
	// Fresh puts everything that the trial touches at other addresses than before.
	Fresh bool
	// Best is the lowest median of the trial's place so far in seconds; 0: there is none.
	Best float64
}

// A Reply answers the request before it.
type Reply struct {
	Err     string // why the request failed; "" if it did not
	Device  *kernels.Device
	Sources map[string]string // digest of each kernel that the device can run
	// NoSensors is why the device's sensors can't be read; "" if they can, or if there are
	// none.
	NoSensors string
	// Unbuilt is why each configuration of Build can't be compiled; "" for those that can.
	Unbuilt []string
	Roof    *kernels.Roof
	Matrix  *trial.Matrix
	Result  *trial.Result
	Effort  Effort // where the time of the trial went, without Trials and Wall
	// Spoiled says that the device or the process is in doubt after this trial, and that
	// the worker must be replaced.
	Spoiled bool
}
