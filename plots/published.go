package plots

import (
	"fmt"
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
	gflops        float64 // two operations per nonzero; 0: only the time is known
	seconds       float64 // the time of a product; 0: not published
	block         int     // threads per block of the best; 0: not said
	caveat        string  // "" for none
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
		case strings.HasSuffix(r.Metric, "bandwidth") && strings.Contains(r.Caveat, "24 bytes per nonzero"):
			p.gflops = r.Value / 12 // two operations for 24 bytes
		case r.Metric == "time":
			p.seconds = r.Value / 1e3
		case r.Metric == "best threads per block":
			p.block = int(r.Value)
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
// none did. A twin has the numbers of the matrix that it stands for. A time with a caveat
// gives no throughput: it is of a run that did not have all nonzeros, and nobody can tell
// how many it had.
func publishedFor(r *store.Row) *publication {
	if r == nil {
		return nil
	}
	p, found := publications()[publicationKey{strings.TrimSuffix(r.Matrix, " (twin)"), r.Kernel, r.Precision}]
	if !found || p.gflops == 0 && (p.seconds == 0 || p.caveat != "") {
		return nil
	}
	return &p
}

// as gives the trial that would have had the published throughput.
func (p *publication) as(r *store.Row) *store.Row {
	s := *r
	gflops := p.gflops
	if gflops == 0 {
		gflops = 2e-9 * float64(r.NNZ) / p.seconds
	}
	factor := gflops / r.GFLOPS
	s.GFLOPS, s.GBPS, s.RoofFraction = gflops, r.GBPS*factor, r.RoofFraction*factor
	s.Median = r.Median / factor
	s.Low, s.High = s.Median, s.Median
	return &s
}

// A hollow is what a paper published, as a mark beside a line.
type hollow struct {
	x, y  float64
	words string
}

// beside is what was published for the kernel and matrix of a trial, at x; none where
// nothing was, or is to be drawn.
func (c *citations) beside(u unit, r *store.Row, x func(*publication) (float64, bool)) []hollow {
	if c == nil || !(r.GFLOPS > 0) {
		return nil
	}
	p := publishedFor(r)
	if p == nil {
		return nil
	}
	at, known := x(p)
	if !known {
		return nil
	}
	c.add(p)
	v := u.of(p.as(r))
	return []hollow{{at, v, fmt.Sprintf("%s, %s, %s: %s %s, published in %s on %s", r.Kernel, r.Matrix, r.Precision, significant(v, 3), u.name, p.paper, p.device)}}
}

// citations collects what is drawn of the papers, for a caption.
type citations struct{ list []string }

// citations are what a page draws of the papers, nil where nothing is to be.
func (d *data) citations() *citations {
	if !d.published {
		return nil
	}
	return &citations{}
}

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
