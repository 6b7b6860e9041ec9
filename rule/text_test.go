package rule

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"spmvtune/sparse"
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

	var b bytes.Buffer
	if err := learn(t, obs, DefaultOptions).WriteText(&b); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "rule.txt")
	if *regen {
		if err := os.WriteFile(golden, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), want) {
		t.Errorf("text differs from %s (look at it, then go test -run TestText -regen):\n%s", golden, &b)
	}
}

func TestNumbersAreGrouped(t *testing.T) {
	for _, tt := range []struct {
		x    float64
		want string
	}{
		{0, "0"}, {12.5, "12.5"}, {999, "999"}, {1000, "1000"}, {30_000, "30,000"}, {4_996_000.5,
			"4,996,000.5"}, {0.0002, "0.0002"},
	} {
		if got := number(tt.x); got != tt.want {
			t.Errorf("%v is written %s, want %s", tt.x, got, tt.want)
		}
	}

	s := Step{Feature: "row_mean", Unit: "nonzeros", Value: 679.1780838, Threshold: 12.5, Above: true}
	if got, want := s.String(), "row_mean 679.178 > 12.5 nonzeros"; got != want {
		t.Errorf("step is written %q, want %q", got, want)
	}
}
