package plots

import (
	"math"
	"slices"
	"strings"
	"sync"

	"spmvtune/kernels"
	"spmvtune/plots/published"
	"spmvtune/store"
)

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
var publications = sync.OnceValue(func() map[publicationKey]publication {
	found := map[publicationKey]publication{}
	for _, r := range published.Results() {
		key := publicationKey{r.Matrix, r.Kernel, r.Precision}
		p, seen := found[key]
		if seen && (p.paper != r.Paper || p.device != r.Device) {
			continue
		}
		switch {
		case r.Metric == "throughput":
			p.gflops = r.Value
		case r.Metric == "bandwidth" && strings.Contains(r.Caveat, "24 bytes per nonzero"):
			p.gflops = r.Value / 12 // two operations for 24 bytes
		case r.Metric == "time":
			p.ms = r.Value
		default:
			continue
		}
		p.paper, p.device = r.Paper, r.Device
		if r.Caveat != "" {
			p.caveat = r.Caveat
		}
		found[key] = p
	}
	return found
})

// publishedFor returns what a paper found for the kernel of r on its matrix, nil where
// none did. A twin has the numbers of the matrix that it stands for.
func publishedFor(r *store.Row) *publication {
	if r == nil {
		return nil
	}
	p, found := publications()[publicationKey{strings.TrimSuffix(r.Matrix, " (twin)"), r.Kernel, r.Precision}]
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
