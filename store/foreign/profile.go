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
	Entry  string // name of the kernel, as in the PTX
	Counts store.Counts
}

// ReadProfile reads what `ncu --csv --page raw` has written: a row for each launch, after one with
// the units. missing are the metrics that are not in it.
func ReadProfile(f File) (launches []Launch, missing []string, err error) {
	text, err := tableOnly(f)
	if err != nil {
		return nil, nil, err
	}
	t, err := readTable(bytes.NewReader(text), f.Name, nil)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case !t.has("Kernel Name"):
		return nil, nil, fmt.Errorf("%s: no column \"Kernel Name\": it is no output of ncu", f.Name)
	case t.has("Metric Name"):
		return nil, nil, fmt.Errorf("%s is another page of ncu's report: run ncu with --page raw", f.Name)
	}

	var found []metric
	for _, m := range metrics {
		if t.has(m.ncu) {
			found = append(found, m)
		} else {
			missing = append(missing, m.ncu)
		}
	}
	if len(found) == 0 {
		return nil, nil, fmt.Errorf("%s has none of the metrics: collect them with --metrics %s", f.Name, Metrics())
	}
	p := profile{t, found}
	for row := 1; row < len(t.rows); row++ {
		launches = append(launches, p.launch(row))
	}
	if len(launches) == 0 {
		return nil, nil, fmt.Errorf("%s has no launch of a kernel", f.Name)
	}
	return launches, missing, t.err()
}

// tableOnly blanks out what is not part of the table: what the profiled program printed before
// it, and ncu's own messages, which begin with "==".
func tableOnly(f File) ([]byte, error) {
	text, err := io.ReadAll(f.Content)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", f.Name, err)
	}
	lines := bytes.Split(text, []byte("\n"))
	begun := false
	for i, line := range lines {
		begun = begun || bytes.HasPrefix(line, []byte(`"ID",`))
		if !begun || bytes.HasPrefix(line, []byte("==")) {
			lines[i] = nil
		}
	}
	if !begun {
		return nil, fmt.Errorf("%s: no header line that begins with \"ID\": run ncu with --csv", f.Name)
	}
	return bytes.Join(lines, []byte("\n")), nil
}

// A profile is a table of launches, with those of our metrics that it has.
type profile struct {
	*table
	found []metric
}

func (p profile) launch(row int) Launch {
	l := Launch{entryName(p.cell(row, "Kernel Name")), store.Counts{}}
	for _, m := range p.found {
		if v := p.value(row, m.ncu); !math.IsNaN(v) {
			l.Counts[m.counter] = v * unitOf(p.cell(0, m.ncu)) / m.whole
		}
	}
	finish(l.Counts)
	return l
}

// entryName returns the name of a kernel without its C++ arguments.
func entryName(s string) string {
	s, _, _ = strings.Cut(strings.TrimPrefix(s, "void "), "(")
	s, _, _ = strings.Cut(s, "<")
	return strings.TrimSpace(s)
}

// grouped matches a number as ncu writes it, with commas between thousands.
var grouped = regexp.MustCompile(`^(\d+|\d{1,3}(,\d{3})+)(\.\d+)?$`)

// value reads the value of a metric. It is NaN where ncu could not count it.
func (p profile) value(row int, name string) float64 {
	text := p.cell(row, name)
	switch strings.ToLower(text) {
	case "", "n/a", "nan", "-nan", "inf":
		return math.NaN()
	}

	v, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
	if err != nil || !grouped.MatchString(text) || v > 1e18 {
		p.fail(row, "%s = %q is not a number in ncu's English format: run ncu with LC_ALL=C", name, text)
		return math.NaN()
	}
	return v
}

// unitOf is a unit as a multiple of bytes or seconds. Other units are not scaled.
func unitOf(unit string) float64 {
	unit, _, _ = strings.Cut(unit, "/") // of a block, say
	for _, size := range []struct {
		prefix string
		times  float64
	}{{"n", 1e-9}, {"u", 1e-6}, {"m", 1e-3}, {"", 1}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}} {
		switch strings.TrimPrefix(unit, size.prefix) {
		case "s", "second", "byte":
			if strings.HasPrefix(unit, size.prefix) {
				return size.times
			}
		}
	}
	return 1
}
