package tuner

import (
	"context"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

// A Recorder keeps results for good. The store and the journal are recorders. Several devices may use
// one at the same time.
type Recorder interface {
	// Begin names the run that the following results of its device belong to.
	Begin(ctx context.Context, run RunInfo) error
	// Matrix is called before the first result on a matrix. It is also called, without Begin,
	// if all results on it are recorded, because it may have another name now.
	Matrix(ctx context.Context, m trial.Matrix) error
	// Recorded returns what is recorded of the trials with these identities. Samples may
	// have been rounded to float32.
	Recorded(ctx context.Context, ids []string, detail trial.Detail) (map[string]trial.Record, error)
	// Ask says that the run wants the trials with these identities: those that are recorded are
	// not measured again, but count from now on, see trial.InForce.
	Ask(ctx context.Context, ids []string) error
	// Record keeps r. When it returns nil, r survives the death of the process.
	Record(ctx context.Context, r trial.Result) error
}

// A RunInfo is what all results of one sweep on one device have in common.
type RunInfo struct {
	Sweep    *configs.Sweep
	Device   kernels.Device
	Roof     kernels.Roof
	Sources  map[string]string // digest of each kernel's source, by its name
	Own      []kernels.Own     // those of the kernels that the sweep defines
	Protocol string            // canonical form, as in a trial's identity
	Version  string            // version of this program
	Origin   trial.Origin
}
