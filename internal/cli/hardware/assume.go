package hardware

import (
	"context"
	"fmt"

	"spmvtune/kernels"
	"spmvtune/kernels/cpu"
	"spmvtune/kernels/cuda"
	"spmvtune/store"
	"spmvtune/tuner"
)

// assumedUnits is the number of multiprocessors that a plan assumes if neither this machine nor
// the database has a GPU. An H100 has this many.
const assumedUnits = 132

// AssumeGPU returns the GPU that db has trials of, or else an assumed one. db may be nil.
func AssumeGPU(ctx context.Context, db *store.DB) (*tuner.Assumed, error) {
	a := &tuner.Assumed{
		Device: kernels.Device{
			Backend: "cuda", Name: fmt.Sprintf("GPU of %d multiprocessors", assumedUnits),
			Units: assumedUnits, MaxBlock: 1024,
		},
		Sources: Sources(),
	}

	if db == nil {
		return a, nil
	}
	devices, err := db.Devices(ctx)
	for _, d := range devices {
		if d.Backend == "cuda" {
			a.Device = d.Device
		}
	}

	return a, err
}

// Sources are the digests of the catalogue's kernels in this program, by name.
func Sources() map[string]string {
	digests := map[string]string{}
	for _, k := range kernels.Catalogue {
		of := cpu.Source
		if k.Backend == "cuda" {
			of = cuda.Source
		}
		digests[k.Name] = of(k.Name)
	}
	return digests
}
