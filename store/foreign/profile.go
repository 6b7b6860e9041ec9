package foreign

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"spmvtune/store"
)

// A Launch is a kernel's launch, with what Nsight Compute counted in it.
type Launch struct {
	Entry               string // name of the kernel in the PTX
	Block, Grid, Shared int    // threads, blocks, bytes of shared memory of a block
	Counts              store.Counts
	line                int // line of its first row
}

// Metrics are the metrics that Nsight Compute must collect, as its option --metrics takes them.
const Metrics = "sm__warps_active.avg.pct_of_peak_sustained_active," +
	"smsp__thread_inst_executed_per_inst_executed.ratio," +
	"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct," +
	"launch__shared_mem_per_block_static,launch__shared_mem_per_block_dynamic"

// A metric says where a value belongs.
type metric struct {
	whole float64 // the value that means all: 100 for percent, or 0 for a size in bytes
	put   func(l *Launch, v float64)
}

var metrics = map[string]metric{
	"sm__warps_active.avg.pct_of_peak_sustained_active":             {100, putOccupancy},
	"smsp__thread_inst_executed_per_inst_executed.ratio":            {32, putWarpEfficiency},
	"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct": {100, putLoadEfficiency},
	"launch__shared_mem_per_block_static":                           {0, addShared},
	"launch__shared_mem_per_block_dynamic":                          {0, addShared},
}

func putOccupancy(l *Launch, v float64)      { l.Counts["occupancy"] = v }
func putWarpEfficiency(l *Launch, v float64) { l.Counts["warp_efficiency"] = v }
func putLoadEfficiency(l *Launch, v float64) { l.Counts["load_efficiency"] = v }
func addShared(l *Launch, v float64)         { l.Shared += int(v) }

// ReadProfile reads what `ncu --csv --metrics` has written: a row for each launch and
// metric. Rows of other metrics are left out.
func ReadProfile(f File) ([]Launch, error) {
	text, err := tableOnly(f)
	if err != nil {
		return nil, err
	}
	t, err := readTable(bytes.NewReader(text), f.Name, nil)
	if err != nil {
		return nil, err
	}

	var missing []string
	for _, c := range []string{"ID", "Process ID", "Kernel Name", "Block Size", "Grid Size", "Metric Name",
		"Metric Unit", "Metric Value"} {
		if !t.has(c) {
			missing = append(missing, c)
		}
	}

	if len(missing) > 0 {
		return nil, fmt.Errorf("%s: no column %s: run ncu without --page, so that it prints the details page",
			f.Name, strings.Join(missing, ", "))
	}

	p := &profile{table: t, index: map[[2]string]int{}, seen: map[[3]string]bool{}}
	for row := range t.rows {
		p.row(row)
	}
	if err := t.err(); err != nil {
		return nil, err
	}
	if len(p.launches) == 0 {
		return nil, fmt.Errorf("%s has none of the metrics: collect them with --metrics %s", f.Name, Metrics)
	}
	return p.launches, nil
}

// tableOnly blanks out what is not part of the table: what the profiled program printed before
// it, and ncu's own messages, which begin with "==".
func tableOnly(f File) ([]byte, error) {
	text, err := io.ReadAll(f.Content)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", f.Name, err)
	}
	var kept []byte
	begun := false
	for line := range bytes.Lines(text) {
		begun = begun || bytes.HasPrefix(line, []byte(`"ID",`))
		if !begun || bytes.HasPrefix(line, []byte("==")) {
			line = []byte("\n") // lines keep their numbers
		}
		kept = append(kept, line...)
	}
	if !begun {
		return nil, fmt.Errorf("%s: no header line that begins with \"ID\": run ncu with --csv", f.Name)
	}
	return kept, nil
}

// profile puts launches together.
type profile struct {
	*table
	launches []Launch
	index    map[[2]string]int  // index of a launch, by process and number
	seen     map[[3]string]bool // rows by process, number and metric
}

func (p *profile) row(row int) {
	name := p.cell(row, "Metric Name")
	m, wanted := metrics[name]
	if !wanted {
		return
	}
	before := len(p.errs)
	l := Launch{Entry: entryName(p.cell(row, "Kernel Name")),
		Block: p.volume(row, "Block Size"), Grid: p.volume(row, "Grid Size"),
		Counts: store.Counts{},
		line:   p.lines[row]}

	v, known := p.value(row, name, m.whole)
	if len(p.errs) > before {
		return
	}
	key := [2]string{p.cell(row, "Process ID"), p.cell(row, "ID")}
	i, there := p.index[key]
	if !there {
		i = len(p.launches)
		p.index[key] = i
		p.launches = append(p.launches, l)
	}

	first := &p.launches[i]
	if first.Entry != l.Entry || first.Block != l.Block || first.Grid != l.Grid {
		p.fail(row, "launch %s is another one in line %d: keep each run of ncu in a file of its own", key[1],
			first.line)
		return
	}

	if at := [3]string{key[0], key[1], name}; p.seen[at] {
		p.fail(row, "launch %s has %s twice: keep each run of ncu in a file of its own", key[1], name)
		return
	} else if p.seen[at] = true; known {
		m.put(first, v)
	}
}

// entryName returns the name of a kernel without its C++ arguments.
func entryName(s string) string {
	s, _, _ = strings.Cut(s, "(")
	return strings.TrimSpace(s)
}

// volume reads a size in three dimensions: "(256, 1, 1)".
func (p *profile) volume(row int, column string) int {
	text := p.cell(row, column)
	n := 1
	sizes := strings.Split(strings.Trim(text, "()"), ",")

	for _, s := range sizes {
		k, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || k < 1 || len(sizes) != 3 || n > math.MaxInt32/k {
			p.fail(row, "%s = %q must have the form \"(256, 1, 1)\"", column, text)
			return 0
		}
		n *= k
	}

	return n
}

// grouped matches a number as ncu writes it, with commas between thousands.
var grouped = regexp.MustCompile(`^(\d+|\d{1,3}(,\d{3})+)(\.\d+)?$`)

// value reads the value of a metric, as a fraction of whole, or in bytes. It is not known
// where ncu could not count it.
func (p *profile) value(row int, name string, whole float64) (v float64, known bool) {
	text := p.cell(row, "Metric Value")
	switch strings.ToLower(text) {
	case "", "n/a", "nan", "-nan":
		return 0, false
	}

	v, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
	if err != nil || !grouped.MatchString(text) {
		p.fail(row, "%s = %q is not a number in ncu's English format: run ncu with LC_ALL=C", name, text)
		return 0, false
	}

	if whole == 0 {
		if unit := p.cell(row, "Metric Unit"); !strings.HasPrefix(unit, "byte") {
			p.fail(row, "%s is in %q: run ncu with --print-units base", name, unit)
		} else if v > math.MaxInt32 {
			p.fail(row, "%s = %q is more than any multiprocessor has", name, text)
		}
		return v, true
	}

	const slack = 1.01 // counters of several passes may not quite agree
	if v > slack*whole {
		p.fail(row, "%s = %q is more than %g: run ncu with LC_ALL=C, in case a comma stands for a point", name,
			text, whole)
	}

	return min(v/whole, 1), true
}
