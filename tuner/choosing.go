package tuner

import (
	"fmt"

	"spmvtune/kernels"
	"spmvtune/tuner/search"
	"spmvtune/tuner/trial"
)

// A Chooser returns which of some configurations of one precision are worth measuring on a
// matrix, on a device and in a cache state: a few, the most promising first. It may return
// none.
type Chooser func(
	dev kernels.Device, m trial.Matrix, cache trial.Cache, among []kernels.Config,
) ([]kernels.Config, error)

// choose returns what the chooser names, in each precision.
func (p planner) choose(m trial.Matrix, cache trial.Cache, points []kernels.Config) ([]kernels.Config, error) {
	if p.chooser == nil {
		return nil, fmt.Errorf("the strategy %q needs a rule, and there is none", search.Rule)
	}
	var kept []kernels.Config
	for _, precision := range []kernels.Precision{kernels.Float32, kernels.Float64} {
		var among []kernels.Config
		for _, c := range points {
			if c.Precision == precision {
				among = append(among, c)
			}
		}
		if len(among) == 0 {
			continue
		}
		chosen, err := p.chooser(p.device, m, cache, among)
		if err != nil {
			return nil, err
		}
		kept = append(kept, chosen...)
	}

	return kept, nil
}
