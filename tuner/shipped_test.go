package tuner

import (
	"testing"
	"time"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/tuner/matrix"
	"spmvtune/tuner/trial"
)

// longest is what a shipped sweep may take on an H100 as [Look] guesses it, which is two
// to eight times what it takes: see docs/results-h100.md.
const longest = 15 * time.Minute

// longer is the same for sweeps that are meant to be run in pieces.
var longer = map[string]time.Duration{"corpus": 6 * time.Hour}

// Shipped sweeps take minutes on one of today's GPUs and fit into one of 16 GB, with the
// twins in place of matrices that were not downloaded.
func TestShippedSweepsAreShort(t *testing.T) {
	h100 := kernels.Device{Backend: "cuda", Units: 132, MaxBlock: 1024}
	for _, name := range configs.Shipped() {
		sweep, err := configs.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		trials, took, loading := 0, time.Duration(0), time.Duration(0)
		for _, m := range sweep.Matrices {
			size, err := matrix.SizeOf(m)
			if err != nil {
				t.Fatal(err)
			}
			if size == (trial.Size{}) {
				t.Errorf("%s: %s has no twin: without a network it is not measured", name, m.Name)
			}
			// 16 bytes an entry in COO, two vectors, in float64.
			if bytes := 16*size.Nonzeros + 8*(size.Rows+size.Cols); bytes > 8e9 {
				t.Errorf("%s: %s takes %d bytes of a GPU", name, m.Name, bytes)
			}
			o, err := NewOutlook(sweep, size, h100)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%-18s %-20s %12d %6d trials %s + %s", name, m.Name, size.Nonzeros, o.Trials, o.Time.Round(time.Second),
				o.Load.Round(time.Second))
			trials, took, loading = trials+o.Trials, took+o.Time, loading+o.Load
		}
		t.Logf("%-18s %d matrices, %d trials, %s and %s to load", name, len(sweep.Matrices), trials, took.Round(time.Second),
			loading.Round(time.Second))
		if took > max(longest, longer[name]) {
			t.Errorf("%s takes %s on an H100", name, took)
		}
	}
}
