package kernels

import "testing"

func TestRowLanes(t *testing.T) {
	for _, tt := range []struct {
		config Config
		want   int
	}{
		{Config{Kernel: "csr_scalar", Block: 256}, 1},
		{Config{Kernel: "csr_vector", Block: 256}, 32},
		{Config{Kernel: "csr_hybrid", Block: 256}, 256},
		{Config{Kernel: "csr_adaptive", Block: 128}, 128},
		{Config{Kernel: "csr_adaptive", Block: 128, Params: "long_row=warp"}, 32},
		{Config{Kernel: "csr_light", Params: "width=auto"}, 32},
		{Config{Kernel: "csr_light", Params: "width=4"}, 4},
		{Config{Kernel: "csr_merge", Block: 128}, 0},
	} {
		if got := RowLanes(tt.config); got != tt.want {
			t.Errorf("%s: %d threads a row, want %d", tt.config, got, tt.want)
		}
	}
	for name := range rowLanes {
		if _, known := Lookup(name); !known {
			t.Errorf("%s is not in the catalogue", name)
		}
	}
}
