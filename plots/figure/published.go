package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"spmvtune/plots/chart"
	"spmvtune/plots/data"
	"spmvtune/plots/number"
	"spmvtune/store"
)

// beside returns what was published for the kernel and matrix of a trial, at x.
func (c *citations) beside(u data.Unit, r *store.Row, x func(*data.Publication) (float64, bool)) []chart.Hollow {
	if c == nil || !(r.GFLOPS > 0) {
		return nil
	}
	p := c.report.PublishedFor(r)
	if p == nil {
		return nil
	}
	at, known := x(p)
	if !known {
		return nil
	}
	c.add(p)
	v := u.Of(p.As(r))
	return []chart.Hollow{{X: at, Y: v, Words: fmt.Sprintf("%s, %s, %s: %s %s, published in %s on %s", r.Kernel,
		r.Matrix, r.Precision, number.Significant(v, 3), u.Name, p.Paper, p.Device)}}
}

// citations collects what is drawn of the papers, for a caption. Nil draws nothing of them.
type citations struct {
	report *data.Report
	list   []string
}

// citationsOf returns the citations of a picture, nil if the report shows nothing of the
// papers.
func citationsOf(d *data.Report) *citations {
	if !d.Published {
		return nil
	}
	return &citations{report: d}
}

func (c *citations) add(p *data.Publication) {
	text := p.Paper + " on " + p.Device
	if p.Caveat != "" {
		text += " (" + p.Caveat + ")"
	}
	if !slices.Contains(c.list, text) {
		c.list = append(c.list, text)
	}
}

// value returns what was published of an entry's quantity, NaN if nothing was or if it is not
// comparable.
func (c *citations) value(q *quantity, e entry) float64 {
	if c == nil {
		return math.NaN()
	}
	p := c.report.PublishedFor(e.row)
	if p == nil || !(e.row.GFLOPS > 0) {
		return math.NaN()
	}
	row, base := p.As(e.row), e.base
	if base != nil {
		q := c.report.PublishedFor(base)
		if q == nil || q.Paper != p.Paper || q.Device != p.Device || !(base.GFLOPS > 0) {
			return math.NaN()
		}
		base = q.As(base)
	}

	c.add(p)
	return q.of(row, base).Y
}

// Caption names the citations, "" if there are none.
func (c *citations) Caption() string {
	if c == nil || len(c.list) == 0 {
		return ""
	}
	slices.Sort(c.list)
	return " Hollow: as published in " + strings.Join(c.list, "; ") + "."
}
