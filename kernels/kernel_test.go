// SPDX-License-Identifier: Apache-2.0

package kernels

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
)

// What no device could run is refused, with what would be possible.
func TestCheck(t *testing.T) {
	for _, tt := range []struct {
		kernel      string
		block, grid int
		params      Params
		want        string // "": it is legal
	}{
		{"cpu_csr", 0, 0, "", ""},
		{"cpu_csr", 32, 0, "", "no choice of block"},
		{"cpu_csr", 0, 2, "", "no choice of grid"},
		{"cpu_csr", 0, 0, "unroll=4", "it has reorder"},
		{"cusparse_csr_alg1", 0, 0, "unroll=4", "it has none"},
		{"cpu_csr_merge", 0, 0, "", "at least 1"},
		{"coo_atomic", 1025, 0, "", "from 1 to 1024"},
		{"coo_segscan_warp", 100, 8, "", "a multiple of 32 from 32 to 1024"},
		{"coo_blelloch", 96, 8, "", "a power of two from 1 to 1024"},
		{"coo_segscan_warp_chunk_unroll", 256, 8, "unroll=8", ""},
		{"coo_segscan_warp_chunk_unroll", 256, 8, "unroll=3", "one of 2, 4, 8"},
		{"cpu_sell", 8, 1, "sigmas=8", "it has sigma"},
		{"csr_hybrid", 256, 8, "long=512 short=512", ""},
		{"csr_hybrid", 256, 8, "short=1024", "short must be at most long"}, // against the default of long
		{"csr_hybrid_v1", 256, 8, "short=1024", ""},
	} {
		check(t, Config{tt.kernel, Float64, tt.block, tt.grid, tt.params}, tt.want)
	}
	check(t, Config{Kernel: "cpu_csr", Precision: "half"}, "float32 or float64")
	for _, bad := range []string{"0", "-1", "auto", "032", "+4", "1e3", "4294967296", ""} {
		check(t, Config{"cpu_sell", Float64, 8, 1, Params("sigma=" + bad)}, "a positive integer")
	}
}

// check compares why a configuration is refused; "" stands for a legal one.
func check(t *testing.T, c Config, want string) {
	t.Helper()
	k, _ := Lookup(c.Kernel)
	err := k.Check(c)
	if invalid := new(InvalidError); err == nil && want != "" ||
		err != nil && (want == "" || !errors.As(err, &invalid) || !strings.Contains(err.Error(), want)) {
		t.Errorf("%v: got %v, want %q", c, err, want)
	}
}

// Two spellings of one configuration must become the same trial.
func TestComplete(t *testing.T) {
	k, _ := Lookup("csr_hybrid")
	given := Params("long=256")
	want := Params("long=256 shared=0 short=64")
	testkit.Equal(t, k.Complete(given), want, "%v", given)
	k, _ = Lookup("cpu_csr")
	testkit.Equal(t, k.Complete(""), "", "parameters of a kernel without")
}

// Settings are in canonical form whatever order they come in, and read back as they were.
func TestParamsReadBack(t *testing.T) {
	want := Params("long_row=warp tile=1024")
	testkit.Equal(t, Params("").With("tile", "1024").With("long_row", "warp"), want, "settings became")
	for _, p := range []Params{"", "unroll=4", want} {
		data, err := json.Marshal(p)
		var got Params
		if err == nil {
			err = json.Unmarshal(data, &got)
		}
		testkit.Check(t, err == nil && got == p, "%q was read from %s as %q (%v)", p, data, got, err)
	}
	testkit.Fails(t, new(Params).UnmarshalJSON([]byte(`{"unroll": "4 tile=8"}`)), "", "a value that holds another setting")
}

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
		{Config{Kernel: "coo_atomic", Block: 128}, 56},
	} {
		testkit.Equal(t, RowLanes(tt.config), tt.want, "%s: threads a row", tt.config)
	}
}

// Every place occurs once, and those of neighbours are far apart.
func TestScatter(t *testing.T) {
	for _, bits := range []int{1, 2, 3, 7, 12, 18} {
		n := uint32(1) << bits
		seen := make([]bool, n)
		near := 0
		last := n

		for i := range n {
			at := Scatter(i, bits)
			testkit.Require(t, at < n && !seen[at], "%d bits: place %d of %d occurs twice, or is none", bits, at, n)
			seen[at] = true
			if d := int(at) - int(last); d > -16 && d < 16 {
				near++
			}
			last = at
		}

		// At random, 31 of n neighbours are so near.
		testkit.Check(t, bits <= 10 || near <= 100, "%d bits: %d of %d neighbours are within 16 elements", bits, near, n)
	}
}
