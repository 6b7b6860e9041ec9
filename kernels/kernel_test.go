package kernels

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	check := func(c Config, want string) {
		t.Helper()
		k, ok := Lookup(c.Kernel)
		if !ok {
			t.Fatalf("no kernel %s", c.Kernel)
		}

		if c.Precision == "" {
			c.Precision = Float64
		}
		err := k.Check(c)
		if want == "" {
			if err != nil {
				t.Errorf("%v: %v", c, err)
			}
			return
		}

		var invalid *InvalidError
		if !errors.As(err, &invalid) {
			t.Errorf("%v: got %v, want an InvalidError with %q", c, err, want)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("%v: got %q, want %q in it", c, err, want)
		}
	}

	check(Config{Kernel: "cpu_csr"}, "")
	check(Config{Kernel: "cpu_csr", Block: 32}, "no choice of block")
	check(Config{Kernel: "cpu_csr", Grid: 2}, "no choice of grid")
	check(Config{Kernel: "cpu_csr", Precision: "half"}, "float32 or float64")
	check(Config{Kernel: "cpu_csr", Params: Params("unroll=4")}, "it has reorder")
	check(Config{Kernel: "cusparse_csr_alg1", Params: Params("unroll=4")}, "it has none")
	check(Config{Kernel: "cpu_csr_merge", Grid: 2}, "")
	check(Config{Kernel: "cpu_csr_merge"}, "at least 1")

	check(Config{Kernel: "cusparse_coo_alg1"}, "")
	check(Config{Kernel: "coo_atomic", Block: 1000}, "")
	check(Config{Kernel: "coo_atomic", Block: 1025}, "from 1 to 1024")
	check(Config{Kernel: "coo_atomic", Block: 32, Grid: 1}, "no choice of grid")
	check(Config{Kernel: "coo_segscan_warp", Block: 100, Grid: 8}, "a multiple of 32 from 32 to 1024")
	check(Config{Kernel: "coo_blelloch", Block: 512, Grid: 8}, "")
	check(Config{Kernel: "coo_blelloch", Block: 96, Grid: 8}, "a power of two from 1 to 1024")

	check(Config{Kernel: "coo_blelloch", Block: 0, Grid: 8}, "a power of two from 1 to 1024")

	unroll := func(v string) Config {
		return Config{Kernel: "coo_segscan_warp_chunk_unroll", Block: 256, Grid: 8, Params: Params("unroll=" + v)}
	}
	check(unroll("8"), "")
	check(unroll("3"), "one of 2, 4, 8")
	sigma := func(v string) Config {
		return Config{Kernel: "cpu_sell", Block: 8, Grid: 1, Params: Params("sigma=" + v)}
	}

	check(sigma("1"), "")
	for _, bad := range []string{"0", "-1", "auto", "032", "+4", "1e3", "4294967296", ""} {
		check(sigma(bad), "a positive integer")
	}
	check(Config{Kernel: "cpu_sell", Block: 8, Grid: 1, Params: Params("sigmas=8")}, "it has sigma")

	hybrid := func(p Params) Config { return Config{Kernel: "csr_hybrid", Block: 256, Grid: 8, Params: p} }
	check(hybrid(Params("long=512 short=512")), "")
	check(hybrid(Params("short=1024")), "short must be at most long") // against the default of long
	check(hybrid(Params("long=32")), "short must be at most long")
	check(Config{Kernel: "csr_hybrid_v1", Block: 256, Grid: 8, Params: Params("short=1024")}, "")
}

// Two spellings of one configuration must become the same trial.
func TestComplete(t *testing.T) {
	k, _ := Lookup("csr_hybrid")
	given := Params("long=256")
	want := Params("long=256 shared=0 short=64")
	if got := k.Complete(given); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if k, _ := Lookup("cpu_csr"); k.Complete("") != "" {
		t.Error("a kernel without parameters has been given some")
	}
}

// Settings are in canonical form whatever order they come in, and read back as they were.
func TestParamsReadBack(t *testing.T) {
	want := Params("long_row=warp tile=1024")
	if p := Params("").With("tile", "1024").With("long_row", "warp"); p != want {
		t.Errorf("settings became %q", p)
	}
	for _, p := range []Params{"", "unroll=4", want} {
		data, err := json.Marshal(p)
		var got Params
		if err == nil {
			err = json.Unmarshal(data, &got)
		}
		if err != nil || got != p {
			t.Errorf("%q was read from %s as %q (%v)", p, data, got, err)
		}
	}
	if err := new(Params).UnmarshalJSON([]byte(`{"unroll": "4 tile=8"}`)); err == nil {
		t.Error("a value that holds another setting was accepted")
	}
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
	} {
		if got := RowLanes(tt.config); got != tt.want {
			t.Errorf("%s: %d threads a row, want %d", tt.config, got, tt.want)
		}
	}
}

// Devices differ in what they stream fastest.
func TestHighestRoof(t *testing.T) {
	for _, r := range []Roof{{Read: 3, Copy: 2, Triad: 1}, {Read: 1, Copy: 3, Triad: 2}, {Read: 2, Copy: 1, Triad: 3}} {
		r.Gather = 9 // is no streaming
		if got := r.Highest(); got != 3 {
			t.Errorf("the highest of %+v is %v, want 3", r, got)
		}
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
			if at >= n || seen[at] {
				t.Fatalf("%d bits: place %d of %d occurs twice, or is none", bits, at, n)
			}
			seen[at] = true
			if d := int(at) - int(last); d > -16 && d < 16 {
				near++
			}
			last = at
		}

		// At random, 31 of n neighbours are so near.
		if bits > 10 && near > 100 {
			t.Errorf("%d bits: %d of %d neighbours are within 16 elements", bits, near, n)
		}
	}
}
