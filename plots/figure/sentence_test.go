package figure

import (
	"strings"
	"testing"

	"spmvtune/internal/testing/synthetic"
	"spmvtune/plots/data"
	"spmvtune/store"
)

// Two sizes are a sentence and no picture, three a picture and no sentence.
func TestTwoSizesAreASentence(t *testing.T) {
	rows := []store.Row{synthetic.TileRow(32, 8, 10, ""), synthetic.TileRow(64, 8, 15, "")}
	d := data.New(rows, nil, nil, nil)
	pages, _ := overBlock.draw(d)
	words := overBlock.sentences(d)
	const want = "block 64 is 1.50 (csr_vector) times as fast as 32"
	if len(pages) > 0 || len(words) != 1 || !strings.Contains(words[0].Text, want) {
		t.Errorf("two sizes: %d pages, %v", len(pages), words)
	}
	d = data.New(append(rows, synthetic.TileRow(128, 8, 20, "")), nil, nil, nil)
	if pages, _ = overBlock.draw(d); len(pages) == 0 || len(overBlock.sentences(d)) > 0 {
		t.Errorf("three sizes: %d pages, %v", len(pages), overBlock.sentences(d))
	}
}

// A picture is of kernels to which the size means the same.
func TestFacetsByUnit(t *testing.T) {
	d := synthetic.Processor().Report()
	pages, _ := drawThroughput(d, overBlock)
	for _, p := range pages {
		if p.Detail {
			continue
		}
		rows := strings.HasSuffix(p.Name, "rows-per-chunk")
		for _, name := range p.Kernels {
			if unit := overBlock.unitOf(name); unit != "" && (unit == "rows per chunk") != rows {
				t.Errorf("%s has %s, whose block is %s", p.Name, name, unit)
			}
		}
	}
}
