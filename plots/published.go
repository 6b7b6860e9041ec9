package plots

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"spmvtune/kernels"
	"spmvtune/store"
)

// publishedCSV are the papers' numbers, with what is known to be unsound about them.
//
//go:embed published/results.csv
var publishedCSV string

// A publication is a paper's result for one kernel on one matrix.
type publication struct {
	paper, device string
	gflops        float64 // two operations per nonzero; 0: only ms is known
	ms            float64
	caveat        string // "" for none
}

type publicationKey struct {
	matrix, kernel string
	precision      kernels.Precision
}

// publications are those of which a throughput can be told, by matrix, kernel and
// precision. Where several papers, or a paper twice, have one, the first counts.
var publications = sync.OnceValues(func() (map[publicationKey]publication, error) {
	rows, err := csv.NewReader(strings.NewReader(publishedCSV)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("reading the published results: %w", err)
	}
	found := map[publicationKey]publication{}
	for _, r := range rows[1:] { // paper, table, device, matrix, kernel, precision, metric, value, unit, caveat
		key := publicationKey{r[3], r[4], kernels.Precision(r[5])}
		p, seen := found[key]
		if seen && (p.paper != r[0] || p.device != r[2]) {
			continue
		}
		paperBytes := strings.Contains(r[9], "24 bytes per nonzero")
		if r[6] != "throughput" && r[6] != "time" && (r[6] != "bandwidth" || !paperBytes) {
			continue
		}
		value, err := strconv.ParseFloat(r[7], 64)
		if err != nil {
			return nil, fmt.Errorf("reading the published results: %w", err)
		}
		p.paper, p.device = r[0], r[2]
		if r[9] != "" {
			p.caveat = r[9]
		}
		switch r[6] {
		case "throughput":
			p.gflops = value
		case "bandwidth":
			p.gflops = value / 12 // two operations for 24 bytes
		case "time":
			p.ms = value
		}
		found[key] = p
	}
	return found, nil
})

// publishedFor returns what a paper found for the kernel of r on its matrix, nil where
// none did. A twin has the numbers of the matrix that it stands for.
func publishedFor(r *store.Row) *publication {
	if r == nil {
		return nil
	}
	all, err := publications()
	if err != nil {
		return nil // a test reads the file
	}
	p, found := all[publicationKey{strings.TrimSuffix(r.Matrix, " (twin)"), r.Kernel, r.Precision}]
	if !found {
		return nil
	}
	return &p
}

// as gives the trial that would have had the published throughput.
func (p *publication) as(r *store.Row) *store.Row {
	s := *r
	gflops := p.gflops
	if gflops == 0 {
		gflops = 2e-6 * float64(r.NNZ) / p.ms
	}
	factor := gflops / r.GFLOPS
	s.GFLOPS, s.GBPS, s.RoofFraction = gflops, r.GBPS*factor, r.RoofFraction*factor
	s.MedianMS = r.MedianMS / factor
	s.LowMS, s.HighMS = s.MedianMS, s.MedianMS
	return &s
}

// citations collects what is drawn of the papers, for a caption.
type citations struct{ list []string }

func (c *citations) add(p *publication) {
	text := p.paper + " on " + p.device
	if p.caveat != "" {
		text += " (" + p.caveat + ")"
	}
	if !slices.Contains(c.list, text) {
		c.list = append(c.list, text)
	}
}

// value is what was published of the quantity of an entry; NaN where nothing was, or
// not of what it is compared with.
func (c *citations) value(q *quantity, e entry) float64 {
	if c == nil {
		return math.NaN()
	}
	p := publishedFor(e.row)
	if p == nil || !(e.row.GFLOPS > 0) {
		return math.NaN()
	}
	row, base := p.as(e.row), e.base
	if base != nil {
		q := publishedFor(base)
		if q == nil || q.paper != p.paper || q.device != p.device || !(base.GFLOPS > 0) {
			return math.NaN()
		}
		base = q.as(base)
	}
	c.add(p)
	return q.of(row, base).Y
}

// caption names them; "" where nothing is drawn.
func (c *citations) caption() string {
	if c == nil || len(c.list) == 0 {
		return ""
	}
	slices.Sort(c.list)
	return " Hollow: as published in " + strings.Join(c.list, "; ") + "."
}
