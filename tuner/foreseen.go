package tuner

import (
	"spmvtune/configs"
	"spmvtune/tuner/trial"
)

// Trials returns what a sweep of one backend tries on a matrix on an assumed device, in the order of its
// plan. If a strategy decides, these are all that it may try. choose is for sweeps that go by a rule.
func (a Assumed) Trials(sweep *configs.Sweep, choose Chooser, m trial.Matrix) ([]trial.Trial, error) {
	plan, err := planner{sweep, a.Device, a.Sources, choose}.plan(m)
	return plan.Trials, err
}
