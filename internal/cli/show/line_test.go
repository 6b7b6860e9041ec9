package show

import (
	"strings"
	"testing"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"spmvtune/internal/testing/testkit"
	"spmvtune/kernels"
	"spmvtune/tuner/trial"
)

func leader(kernel string, block, grid int, params kernels.Params, seconds, gflops float64) Leader {
	return Leader{Config: kernels.Config{Kernel: kernel, Precision: kernels.Float64, Block: block, Grid: grid, Params: params},
		Cache: trial.Warm, Seconds: seconds, GFLOPS: gflops}
}

// A line of progress is one line, whatever the width, and says the more the
// wider it is, until there is room for a bar.
func TestStatusFitsTheTerminal(t *testing.T) {
	for _, s := range []progressLine{
		{done: 36, total: 448, rate: 14.2, left: 27 * time.Second, foreseen: true, matrices: 8, progressMatrix: progressMatrix{
			matrix: "ecology1", best: leader("cpu_sell", 4, 2, "sigma=1024", 2.17e-3, 4.61)}},
		{done: 123456, total: 9999999, rate: 0.034, left: 333 * time.Hour, foreseen: true, matrices: 105, progressMatrix: progressMatrix{
			index: 98, matrix: strings.Repeat("a-long-name-", 9),
			best: leader("coo_segscan_warp_chunk_unroll", 1024, 1056, "unroll=4", 91e-9, 1234)}},
		{done: 0, total: 1, matrices: 1, progressMatrix: progressMatrix{matrix: "a"}},
	} {
		before := 0
		for width := 40; width <= 200; width++ {
			line := s.draw(width)
			if n := text.StringWidth(line); n > width || strings.ContainsAny(line, "\r\n") {
				t.Fatalf("%d columns of %d: %q", n, width, line)
			}
			if n := strings.Count(line, " "); width < 100 && n < before {
				t.Errorf("less is said in %d columns than in %d: %q", width, width-1, line)
			} else {
				before = n
			}
		}
	}
}

// First the configuration is left out, then its time, then the matrix.
func TestStatusLeavesOut(t *testing.T) {
	s := progressLine{done: 36, total: 448, rate: 14.2, left: 27 * time.Second, foreseen: true, matrices: 8, progressMatrix: progressMatrix{
		matrix: "ecology1", best: leader("cpu_sell", 4, 0, "", 2.17e-3, 4.61)}}
	for _, tt := range []struct {
		width int
		want  string
	}{
		{200, "██░░░░░░░░░░░░░░░░░░░░░░░░░░░░  36/448  8%  14/s  27s left  [1/8] ecology1: best so far cpu_sell float64 block 4 2.17 ms 4.61 GFLOP/s"},
		{120, "█░░░░░░░░░░░░░░  36/448  8%  14/s  27s left  [1/8] ecology1: best so far cpu_sell float64 block 4 2.17 ms 4.61 GFLOP/s"},
		{90, "36/448  8%  14/s  27s left  [1/8] ecology1: best so far cpu_sell 2.17 ms 4.61 GFLOP/s"},
		{80, "36/448  8%  14/s  27s left  [1/8] ecology1: best so far cpu_sell 4.61 GFLOP/s"},
		{70, "36/448  8%  14/s  27s left  [1/8] best so far cpu_sell 4.61 GFLOP/s"},
		{60, "36/448  8%  14/s  27s left  [1/8] ecology1"},
		{40, "36/448  8%  14/s  27s left  [1/8]"},
		{30, "36/448  8%  14/s  27s left"},
		{20, "36/448  8%"},
		{5, "36/44"},
	} {
		testkit.Equal(t, s.draw(tt.width), tt.want, "%d columns", tt.width)
	}
}
