package search

import (
	"slices"
	"testing"

	"spmvtune/kernels"
)

// Neighbours with the same kernel differ in one choice by one step of those that the
// constraints left over; and neighbourhood is mutual.
func TestAdjacent(t *testing.T) {
	config := func(block, grid int, unroll string) kernels.Config {
		return kernels.Config{Kernel: "a", Precision: kernels.Float32, Block: block, Grid: grid,
			Params: kernels.Params("unroll=" + unroll)}
	}
	space := NewSpace([]kernels.Config{
		config(64, 8, "1"),   // 0
		config(256, 8, "1"),  // 1: 128 is left out
		config(512, 8, "1"),  // 2
		config(64, 16, "1"),  // 3
		config(64, 8, "16"),  // 4
		config(64, 8, "2"),   // 5
		config(100, 99, "2"), // 6: alone on all axes
		{Kernel: "b", Precision: kernels.Float32},
	})
	want := [][]int{{1, 3, 5}, {0, 2}, {1}, {0}, {5}, {0, 4}, nil, nil}
	for i := range 6 {
		got := slices.Sorted(slices.Values(space.Adjacent(i)))
		got = slices.DeleteFunc(got, func(c int) bool { return c == 6 })
		if !slices.Equal(got, want[i]) {
			t.Errorf("%v: neighbours %v, want %v", space.Configs[i], got, want[i])
		}
	}
	if len(space.Adjacent(6)) != 1 || len(space.Adjacent(7)) != 0 {
		t.Errorf("of those alone: %v and %v", space.Adjacent(6), space.Adjacent(7))
	}
	if got := space.Neighbours(0); !slices.Contains(got, 7) || len(got) != len(space.Adjacent(0))+1 {
		t.Errorf("neighbours in other kernels: %v", got)
	}
	for i := range space.Configs {
		for _, j := range space.Adjacent(i) {
			if !slices.Contains(space.Adjacent(j), i) {
				t.Errorf("%d is a neighbour of %d, but not the other way round", j, i)
			}
		}
	}
}

// Parameters that are no numbers have an order, too.
func TestWords(t *testing.T) {
	var configs []kernels.Config
	for _, w := range []string{"warp", "block", "thread"} {
		configs = append(configs, kernels.Config{Kernel: "a", Params: kernels.Params("long_row=" + w)})
	}
	space := NewSpace(configs)
	if n := len(space.Adjacent(0)) + len(space.Adjacent(1)) + len(space.Adjacent(2)); n != 4 {
		t.Errorf("three values in a row have %d neighbours, want 4", n)
	}
}
