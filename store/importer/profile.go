// SPDX-License-Identifier: Apache-2.0

package importer

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/stat"
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
		return nil, nil, fmt.Errorf("%s: no column \"Kernel Name\": this is not output of ncu", f.Name)
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
	for row := 1; row < len(t.rows); row++ {
		launches = append(launches, t.launch(row, found))
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

// launch reads a row, as far as it has metrics.
func (t *table) launch(row int, found []metric) Launch {
	l := Launch{entryName(t.cell(row, "Kernel Name")), store.Counts{}}
	for _, m := range found {
		if v := t.value(row, m.ncu); !math.IsNaN(v) {
			l.Counts[m.counter] = v * unitOf(t.cell(0, m.ncu)) / m.whole
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
func (t *table) value(row int, name string) float64 {
	text := t.cell(row, name)
	switch strings.ToLower(text) {
	case "", "n/a", "nan", "-nan", "inf":
		return math.NaN()
	}

	v, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
	if err != nil || !grouped.MatchString(text) || v > 1e18 {
		t.fail(row, "%s = %q is not a number in ncu's English format: run ncu with LC_ALL=C", name, text)
		return math.NaN()
	}
	return v
}

// prefixes are those of units, as multiples.
var prefixes = map[string]float64{"n": 1e-9, "u": 1e-6, "m": 1e-3, "": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}

// unitOf is a unit as a multiple of bytes or seconds. Other units are not scaled.
func unitOf(unit string) float64 {
	unit, _, _ = strings.Cut(unit, "/") // of a block, say
	for _, base := range []string{"s", "second", "byte"} {
		if prefix, is := strings.CutSuffix(unit, base); is && prefixes[prefix] != 0 {
			return prefixes[prefix]
		}
	}
	return 1
}

// A metric is what Nsight Compute counts of a launch, and the counter that is kept of it.
type metric struct {
	counter string
	ncu     string
	whole   float64 // what the counter gives in units of: 100 makes a fraction of percent
	kind    kind
}

// A kind says what becomes of a counter where a product launches several kernels.
type kind string

const (
	share kind = "share" // that of the kernel that reads the matrix's values, as of "each", and never above 1
	sum   kind = "sum"   // of all kernels of a product
	part  kind = "part"  // the counter is only made of others, see finish
)

//go:embed metrics.csv
var metricsTable string

// metrics are all that is asked for, by the names of ncu 2025.3. A name that another version does not
// know leaves its counter out. Sectors of the L2 cache have 32 bytes. The stalls are the most frequent reasons for
// which warps that are resident issue nothing. Each takes passes over a kernel: it is asked for few.
var metrics = readMetrics()

func readMetrics() (list []metric) {
	rows, err := csv.NewReader(strings.NewReader(metricsTable)).ReadAll()
	for _, row := range rows[min(1, len(rows)):] {
		whole, bad := strconv.ParseFloat(row[2], 64)
		err = cmp.Or(err, bad)
		list = append(list, metric{counter: row[0], ncu: row[1], whole: whole, kind: kind(row[3])})
	}
	if err != nil {
		panic(fmt.Sprintf("metrics.csv: %v", err)) // it is part of the program
	}
	return list
}

// stallPrefix begins the counters of stalls, as shares of the time that warps are resident.
const stallPrefix = "stall_"

// Metrics are the metrics that Nsight Compute must collect, as its option --metrics takes them.
func Metrics() string {
	return strings.Join(lists.Of(metrics, func(m metric) string { return m.ncu }), ",")
}

// mostShare is the most that passes over a short kernel, each of which counts a part, give for a
// share: their times differ. What is more was not counted.
const mostShare = 1.25

// finish makes counters of what was read of a launch.
func finish(c store.Counts) {
	if most := c["cycles_most"]; most > 0 {
		c["balance"] = min(c["cycles_mean"]/most, 1)
	}
	resident := c["warp_cycles"]
	for _, m := range metrics {
		switch v, counted := c[m.counter]; {
		case !counted:
		case m.kind == part, m.kind == share && v > mostShare:
			delete(c, m.counter)
		case m.kind == share:
			c[m.counter] = min(v, 1)
		case strings.HasPrefix(m.counter, stallPrefix):
			if delete(c, m.counter); v > 0 && resident > 0 {
				c[m.counter] = min(v/resident, 1)
			}
		}
	}
}

// Split cuts a list of launches before each launch of the entry mark, which is left out, and
// leaves out what is before the first.
func Split(launches []Launch, mark string) (parts [][]Launch) {
	for _, l := range launches {
		if l.Entry == mark {
			parts = append(parts, nil)
		} else if n := len(parts); n > 0 {
			parts[n-1] = append(parts[n-1], l)
		}
	}
	return parts
}

// OfProduct returns what was counted in one of n products that launched this list of kernels,
// and the kernel that ratios are of: entry or, without one, as in a library, the one that took the
// longest. What adds up is the sum of all kernels; of equal launches it is the median.
func OfProduct(launches []Launch, entry string, n int) (counts store.Counts, of string) {
	kernels := lists.Groups(launches, func(l Launch) string { return l.Entry })
	of, counts = entry, medians(nil)
	longest := math.Inf(-1)
	for _, list := range kernels {
		median := medians(list)
		t := median["seconds"] * float64(len(list))
		if list[0].Entry == entry {
			t = math.Inf(1)
		}
		if t > longest {
			of, counts, longest = list[0].Entry, median, t
		}
	}
	for _, m := range metrics {
		name := m.counter
		if _, counted := counts[name]; !counted || m.kind != sum {
			continue
		}
		counts[name] = 0
		for _, list := range kernels {
			counts[name] += medians(list)[name] * float64(len(list)) / float64(n)
		}
	}
	counts["launches"] = float64(len(launches)) / float64(n)
	return counts, of
}

// medians are those of each counter, over the launches that have it.
func medians(list []Launch) store.Counts {
	values := map[string][]float64{}
	for _, l := range list {
		for name, v := range l.Counts {
			values[name] = append(values[name], v)
		}
	}
	counts := store.Counts{}
	for name, v := range values {
		slices.Sort(v)
		counts[name] = stat.Median(v)
	}
	return counts
}
