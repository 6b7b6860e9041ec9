// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/sparse"
)

var regen = flag.Bool("regen", false, "write the golden files")

func TestText(t *testing.T) {
	skewed := func(nonzeros, rows, longest int) sparse.Features {
		return sparse.Features{Rows: rows, Cols: rows, Nonzeros: nonzeros, RowMean: float64(nonzeros) / float64(rows),
			RowMax: longest}
	}
	obs := duels(
		duel{skewed(5_000_000, 1_000_000, 5), "a", 1.3}, duel{skewed(3_000_000, 1_000_000, 4), "a",
			1.4}, duel{skewed(9_000_000, 2_000_000, 9), "a", 1.2},
		duel{skewed(33_000_000, 49_151, 24_575), "b", 1.5}, duel{skewed(40_000_000, 50_000, 900), "b",
			1.6}, duel{skewed(41_000_000, 50_000, 800), "both", 1},
		duel{skewed(8_000_000, 1_000_000, 4_000_000), "b", 5}, duel{skewed(7_000_000, 1_000_000, 3_000_000), "b", 7})

	for i := range obs {
		obs[i].Class = []string{"grid", "road", "road", "mycielskian", "web", "social", "hub", "trace"}[i/2]
		if obs[i].Config.Kernel == "b" {
			obs[i].Config.Block, obs[i].Config.Grid = 128, 2
		}
	}

	checkGolden(t, "rule.txt", written(t, learn(t, obs, DefaultOptions).WriteText))
}

// A world of gaps, failures, wide intervals and many small differences: each number of what is
// learned from it depends on how these count.
func TestTextOfAMess(t *testing.T) {
	obs := messy(rand.New(rand.NewPCG(37, 38)), 40)
	for i := range obs {
		switch o := &obs[i]; {
		case o.Matrix < "m015":
			o.Class = ""
		case o.Matrix == "m020":
			o.Class = "lonely"
		case o.Matrix == "m021":
			o.Features.RowStd = math.NaN() // an older version did not compute it
		}
	}
	opt := DefaultOptions
	opt.prune = false
	checkGolden(t, "mess.txt", written(t, learn(t, obs, opt).WriteText))
}

// The evaluation of a small world with all that there is to say: classes, some of which taught
// nothing, an ensemble, cuSPARSE, times to read features and to prepare, and forecasts.
func TestEvaluationText(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 36))
	obs := skewed(rng, 40)
	for i := range obs {
		o := &obs[i]
		o.Class = fmt.Sprintf("class%d", o.Features.Cols%5)
		o.Reading = 3e-9 * float64(o.Features.Nonzeros)
		switch o.Config.Kernel {
		case "a":
			o.Prepare = 2 * o.Seconds
		case "c":
			o.Config.Kernel = "cusparse_csr_alg1"
		}
	}
	opt := DefaultOptions
	opt.Test, opt.Ensemble = []string{"class4"}, true
	r := learn(t, obs, opt)
	_, text := evaluated(t, r, obs, opt)
	checkGolden(t, "evaluation.md", text)
	checkGolden(t, "tested.txt", written(t, r.WriteText))
}

// checkGolden compares a text with a file of testdata, or writes it there.
func checkGolden(t *testing.T, name, got string) {
	t.Helper()
	golden := filepath.Join("testdata", name)
	if *regen {
		testkit.Succeed(t, os.WriteFile(golden, []byte(got), 0o644))
	}
	want := testkit.Must(os.ReadFile(golden))
	testkit.Equal(t, got, string(want), "text differs from %s (look at it, then go test -run Text -regen):\n", golden)
}

func TestNumbersAreGrouped(t *testing.T) {
	for _, tt := range []struct {
		x    float64
		want string
	}{
		{0, "0"}, {12.5, "12.5"}, {999, "999"}, {1000, "1000"}, {30_000, "30\u202f000"}, {4_996_000.5,
			"4\u202f996\u202f000.5"}, {0.0002, "0.0002"},
	} {
		testkit.Equal(t, number(tt.x), tt.want, "%v is written", tt.x)
	}

	s := Step{Feature: "row_mean", Unit: "nonzeros", Value: 679.1780838, Threshold: 12.5, Above: true}
	testkit.Equal(t, s.String(), "row_mean 679.178 > 12.5 nonzeros", "step is written")
}

func TestTextObeysNoName(t *testing.T) {
	r := learn(t, duels(duel{sparse.Features{Rows: 1000, Nonzeros: 5000, RowMean: 5}, "a", 1.3}), DefaultOptions)
	r.Sweep = "red \x1b[31m, turned \u202e"

	if text := written(t, r.WriteText); strings.ContainsAny(text, "\x1b\u202e") || !strings.Contains(text, "red ") {
		t.Errorf("the text has raw signs: %q", text[:min(len(text), 120)])
	}
}

// A table of paying for features rounds products up, and says where they never pay.
func TestTableOfPaybacks(t *testing.T) {
	var b bytes.Buffer
	e := Evaluation{Payback: []Payback{{Nonzeros: 1, Matrices: 7, Products: 0}, {Nonzeros: 10, Matrices: 8, Products: 2.5}}}
	e.tables(&b)
	for matrices, want := range map[string]string{"| 7 |": "| never |", "| 8 |": "| 3 |"} {
		_, row, _ := strings.Cut(b.String(), matrices)
		if row, _, _ = strings.Cut(row, "\n"); !strings.HasSuffix(row, want) {
			t.Errorf("row of %s ends with %q, want %s", matrices, row, want)
		}
	}
}
