package generate

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"spmvtune/internal/testing/testkit"
)

var (
	twinTable = flag.Float64("twintable", 0, "print twins at this scale beside what is published of the originals")
	twinOnly  = flag.String("twinonly", "", "print only these, separated by commas")
)

// TestTwinsAsPublished makes the twins that take less than a few seconds at full size
// and holds them against the originals: size exactly, deviation and longest row of the
// rows within 5%, mean span within 10%, or as far off as is said here, and neighbours and
// similarity within 0.1.
func TestTwinsAsPublished(t *testing.T) {
	testkit.Long(t, "up to 40 million nonzeros each")
	// Farther off: rows whose columns follow other rows' popularity, or a hub.
	spans := map[string]float64{"sx-stackoverflow": 0.5, "mawi_201512012345": 0.25}
	for _, p := range published {
		k := twinNamed(t, p.name)
		if slices.Contains([]string{"europe_osm", "mawi_201512020330", "delaunay_n23", "hugetrace-00000"}, p.name) {
			continue
		}
		m := build(t, "twin", map[string]any{"of": p.name})
		got := measure(m)
		if k.Rows > 0 && (m.Rows != k.Rows || m.Cols != k.Cols || m.NNZ() != k.NNZ) {
			t.Errorf("%s: %v, not %d×%d, %d", p.name, m, k.Rows, k.Cols, k.NNZ)
		}

		if k.Symmetric {
			symmetric(t, p.name, m)
		}
		near := func(what string, got, want, relative, absolute float64) {
			t.Helper()
			if want != 0 && math.Abs(got-want) > relative*want+absolute {
				t.Errorf("%s: %s is %.4g, published %.4g", p.name, what, got, want)
			}
		}

		near("mean", got.rowMean, p.rowMean, 0.002, 0) // published with three or four digits
		near("deviation", got.rowStd, p.rowStd, 0.05, 0)
		near("longest row", float64(got.rowMax), float64(p.rowMax), 0.05, 0)
		near("span", got.span, p.span, max(0.1, spans[p.name]), 0)
		near("neighbour rate", got.neighbours, p.neighbours, 0, 0.1)
		near("similarity", got.similar, p.similar, 0, 0.1)
	}
}

// TestTwinTable prints, when asked to, what docs/matrices.md shows.
func TestTwinTable(t *testing.T) {
	if *twinTable == 0 {
		t.Skip("prints a table if -twintable gives a scale")
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', 0)
	defer w.Flush()
	fmt.Fprintln(w, "| matrix | rows | nonzeros | mean | std | min | max | col max | empty | span | neighbours | "+
		"similarity | s | GB |")

	for _, p := range published {
		if *twinOnly != "" && !slices.Contains(strings.Split(*twinOnly, ","), p.name) {
			continue
		}
		forms := []string{"published"}
		if twinNamed(t, p.name).Local != nil {
			forms = localities
		}
		for _, form := range forms {
			printTwin(t, w, p.name, form, p.likeness)
		}
	}
}

// printTwin prints the line of one form of a twin.
func printTwin(t *testing.T, w io.Writer, of, form string, p likeness) {
	t.Helper()
	args := map[string]any{"of": of, "scale": *twinTable, "locality": form}
	peak := peakMemory(t)
	start := time.Now()
	m := build(t, "twin", args)
	took, memory := time.Since(start), peak()

	g := measure(m)
	name := of
	if form == "scattered" {
		name += ", " + form
	}
	pair := func(got, want float64) string {
		if want == 0 {
			return fmt.Sprintf("%.4g / –", got)
		}
		return fmt.Sprintf("%.4g / %.4g", got, want)
	}

	whole := func(got, want int) string {
		if want == 0 {
			return fmt.Sprintf("%d / –", got)
		}
		return fmt.Sprintf("%d / %d", got, want)
	}
	fmt.Fprintf(w, "| %s | %d | %d | %s | %s | %s | %s | %s | %d | %s | %s | %s | %.1f | %.2g |\n", name, m.Rows,
		m.NNZ(),
		pair(g.rowMean, p.rowMean), pair(g.rowStd, p.rowStd), whole(g.rowMin, p.rowMin), whole(g.rowMax, p.rowMax),
		whole(g.colMax, p.colMax), g.empty, pair(g.span, p.span), pair(g.neighbours, p.neighbours),
		pair(g.similar, p.similar), took.Seconds(), memory/1e9)
}

// peakMemory returns what says the most memory, in bytes, that this process has had since.
func peakMemory(t *testing.T) func() float64 {
	t.Helper()
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		t.Skip(err)
	}
	return func() float64 {
		text := testkit.Must(os.ReadFile("/proc/self/status"))
		var kB float64
		_, line, _ := strings.Cut(string(text), "VmHWM:")
		testkit.Must(fmt.Sscan(line, &kB))

		return 1024 * kB
	}
}
