// SPDX-License-Identifier: Apache-2.0

package synthetic

import (
	"example.org/spmvtune/analysis"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/rule"
)

// Ruled gives a report the sample rule.
func Ruled(d *analysis.Data) *analysis.Data {
	d.Rule = SampleRule()
	return d
}

// Unruled takes the rule from a report.
func Unruled(d *analysis.Data) *analysis.Data {
	d.Rule = nil
	return d
}

func SampleRule() *rule.Rule {
	leaf := func(kernel string) *rule.Node {
		return &rule.Node{Choice: &kernels.Config{Kernel: kernel, Block: 64, Grid: 2}, Matrices: []string{"ecology1"},
			Fraction: 0.98}
	}

	return &rule.Rule{Version: rule.Version, Sweep: "synthetic", Models: []rule.Model{{
		Key: rule.Key{Device: Processor().Device, Precision: kernels.Float32, Cache: "cold"}, Configs: 12,
		Root:         &rule.Node{Feature: "row_mean", Threshold: 8, Below: leaf("cpu_sell"), Above: leaf("cpu_csr_merge")},
		Single:       kernels.Config{Kernel: "cpu_sell", Block: 64, Grid: 2},
		SingleKernel: "cpu_sell",
		Validation: rule.Validation{
			Figures:      rule.Figures{Matrices: 1, Mean: 0.97, Worst: 0.97, WorstMatrix: "ecology1", Within5: 1},
			SingleConfig: 0.8, SingleKernel: 0.9,
			Cases: []rule.Case{{Matrix: "ecology1", Choice: kernels.Config{Kernel: "cpu_sell", Block: 64, Grid: 2},
				Evidence: rule.Measured, Fraction: 0.97, SingleConfig: 0.8, SingleKernel: 0.9}}},
	}}}
}
