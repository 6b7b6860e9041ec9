package importer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/tuner"
	"spmvtune/tuner/search"
	"spmvtune/tuner/stat"
	"spmvtune/tuner/trial"
)

// Record gives all measurements to rec, as a sweep called name that ended at the given
// moment. It is not atomic: rec should be thrown away after an error.
func (m *Measurements) Record(ctx context.Context, rec tuner.Recorder, name string, at time.Time) error {
	hashes := map[string]string{}
	for _, matrix := range m.Matrices {
		hashes[matrix.Name] = matrix.hash()
	}

	byDevice := map[string][]Time{}
	sources := map[string]string{}
	for _, t := range m.Times {
		byDevice[t.Device] = append(byDevice[t.Device], t)
		sources[t.Kernel] = Source
	}

	for _, device := range sortedKeys(byDevice) {
		dev := kernels.Device{Backend: Source, Name: DeviceName(device)}
		err := rec.Begin(ctx, tuner.RunInfo{
			Sweep: &configs.Sweep{Name: name, Title: "Imported from " + m.File,
				Text:     []byte("# imported from " + m.File + "\n"),
				Protocol: configs.Protocol{Warmup: 1}, Search: configs.Search{Strategy: search.Strategies[0].Name}},
			Device: dev, Sources: sources, Protocol: Source,
		})
		if err != nil {
			return fmt.Errorf("recording imported measurements: %w", err)
		}
		for _, matrix := range m.Matrices {
			if err := rec.Matrix(ctx, trial.Matrix{
				Name: matrix.Name, Class: matrix.Class, Hash: hashes[matrix.Name], Source: "imported from " + m.File,
				Field: "unknown", Symmetry: "unknown", Features: matrix.Features,
			}); err != nil {
				return fmt.Errorf("recording an imported matrix: %w", err)
			}
		}
		for _, t := range byDevice[device] {
			if err := rec.Record(ctx, t.result(dev, hashes[t.Matrix], at)); err != nil {
				return fmt.Errorf("recording an imported measurement: %w", err)
			}
		}
	}

	return nil
}

// result is a trial that others have made. The interval goes from the fastest to the
// slowest run, because how they were taken is not known.
func (t *Time) result(dev kernels.Device, hash string, at time.Time) trial.Result {
	made := trial.Trial{Matrix: hash, Config: t.Config, Cache: t.Cache}
	samples := t.Samples
	if len(samples) == 0 {
		samples = t.Runs
	}
	made.ID = trial.Identity(made, dev, Source, Source, 0)
	return trial.Result{
		Trial: made, Status: trial.OK,
		Message: fmt.Sprintf("imported from %s, not verified here", t.From),
		Median:  stat.Median(t.Runs), WithinLow: t.Runs[0], WithinHigh: t.Runs[len(t.Runs)-1],
		Samples: samples, Batch: 1, At: at,
	}
}

// hash tells matrices apart by what is known of them: their content is not here.
func (m Matrix) hash() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "imported %q %q %+v", m.Name, m.Class, m.Features))
	return hex.EncodeToString(sum[:])
}
