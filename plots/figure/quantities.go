// SPDX-License-Identifier: Apache-2.0

package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/plots/canvas"
	"example.org/spmvtune/store"
)

// A quantity is what the lengths of bars show.
type quantity struct {
	label string // The label of the axis.
	note  string // A note for the subtitle.
	// of gives the value of a trial with the interval in which another run finds it. base is the trial that it
	// is compared with, nil if the quantity compares nothing.
	of     func(r, base *store.Row) canvas.Point
	scale  func(low, high float64) canvas.Scale
	origin float64                // Where bars start; NaN for no bars.
	number func(v float64) string // The text beside the highest.
	dots   bool                   // Marks are dots on one line, and the number is that of the fastest.
	bytes  bool                   // It can be compared with the device's bandwidth.
}

// rate is a throughput, from zero.
func rate(u analysis.Unit) quantity {
	return quantity{
		label:  u.Label,
		note:   u.Note,
		of:     func(r, _ *store.Row) canvas.Point { return canvas.Throughput(r, 0, u.Of(r)) },
		scale:  func(_, high float64) canvas.Scale { return canvas.FromZero(high, 5) },
		number: func(v float64) string { return term.Significant(v, 3) },
		bytes:  u.Bytes,
	}
}

// logRate is a throughput over orders of magnitude, without a zero to start from.
func logRate(u analysis.Unit) quantity {
	q := rate(u)
	q.scale = func(low, high float64) canvas.Scale { return canvas.Logarithmic(low, high, term.Plain) }
	q.origin = math.NaN()
	return q
}

// timesAsFast is a speed-up over a baseline of this name.
func timesAsFast(baseline string) quantity {
	return quantity{
		label:  "times as fast as " + baseline,
		of:     gained,
		scale:  canvas.Ratios,
		origin: 1,
		number: func(v float64) string { return term.Significant(v, 2) + "×" },
	}
}

func gained(r, base *store.Row) canvas.Point {
	gain := analysis.Ratio(base, r)
	return canvas.Point{Y: gain.Value, Low: gain.Low, High: gain.High}
}

// beside returns what was published for the kernel and matrix of a trial, at x.
func (c *citations) beside(u analysis.Unit, r *store.Row, x func(*analysis.Publication) (float64, bool)) []canvas.Point {
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
	return []canvas.Point{{X: at, Y: v, Words: fmt.Sprintf("%s, %s, %s: %s %s, published in %s on %s", r.Kernel,
		r.Matrix, r.Precision, term.Significant(v, 3), u.Name, p.Paper, p.Device)}}
}

// citations collects what is drawn of the papers, for a caption. Nil draws nothing of them.
type citations struct {
	report *analysis.Data
	list   []string
}

// citationsOf returns the citations of a picture, nil if the report shows nothing of the
// papers.
func citationsOf(d *analysis.Data) *citations {
	if !d.Published {
		return nil
	}
	return &citations{report: d}
}

func (c *citations) add(p *analysis.Publication) {
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
