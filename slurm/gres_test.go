package slurm

import "testing"

func TestHasType(t *testing.T) {
	for _, c := range []struct {
		name, kind string
		want       bool
	}{
		{"NVIDIA A30", "a30", true}, {"NVIDIA A30", "A30", true}, {"NVIDIA A30", "h100", false}, {"NVIDIA A100 80GB PCIe", "a10", false},
		{"NVIDIA A100 80GB PCIe", "a100", true}, {"NVIDIA A100-SXM4-40GB", "a100", true}, {"Tesla V100S-PCIE-32GB", "v100s", true},
		{"Tesla V100S-PCIE-32GB", "v100", true}, {"NVIDIA GeForce RTX 3090", "rtx3090", true}, {"NVIDIA RTX A6000", "rtxa6000", true},
		{"NVIDIA L40", "l4", false}, {"NVIDIA A100-SXM4-40GB", "1g.5gb", true}, {"NVIDIA A30", "tesla", true}, {"NVIDIA A30", "a100_80gb", true},
	} {
		if got := hasType(c.name, c.kind); got != c.want {
			t.Errorf("%s as %s: %v", c.name, c.kind, got)
		}
	}
}
