package rule

import (
	"context"
	"fmt"

	"spmvtune/store"
	"spmvtune/tuner/trial"
)

// FromRows makes observations of trials, failed ones included, but not of kernels whose y nobody sees: no
// rule may choose one. rows and matrices are all that the database has.
func FromRows(ctx context.Context, db *store.DB, rows []store.Row, matrices []store.Matrix) ([]Observation, error) {
	known := make(map[string]*store.Matrix, len(matrices))
	for i := range matrices {
		known[matrices[i].Name] = &matrices[i]
	}
	list, err := db.Kernels(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading observations: %w", err)
	}
	sources := make(map[string]string, len(list))
	for _, k := range list { // the last of several sources of a kernel stays
		sources[k.Name] = k.Digest
	}
	devices, err := db.Devices(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading observations: %w", err)
	}
	hardware := make(map[string]Hardware, len(devices))
	for _, d := range devices {
		hardware[d.Label] = HardwareOf(d.Device)
	}
	obs := make([]Observation, 0, len(rows))
	for i := range rows {
		row := &rows[i]
		if !row.Verified() {
			continue
		}
		m := known[row.Matrix]
		if m == nil {
			return nil, fmt.Errorf("reading observations: matrix %q has results, but no features", row.Matrix)
		}
		o := Observation{
			Sweep: row.Sweep, Device: row.Device, Hardware: hardware[row.Device], Cache: row.Cache,
			Matrix: row.Matrix, Class: m.Class, Features: &m.Features, Source: sources[row.Kernel],
			Reading: m.FeaturesSeconds, Config: row.Config, Failed: row.Status != trial.OK,
		}
		if !o.Failed { // the others have no times
			o.Seconds, o.Low, o.High, o.Tied, o.Prepare = row.Time, row.Another.Low, row.Another.High, row.Tied, row.Prepare
		}
		obs = append(obs, o)
	}
	return obs, nil
}
