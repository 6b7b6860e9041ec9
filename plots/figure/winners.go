// SPDX-License-Identifier: Apache-2.0

package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/plots/canvas"
	"example.org/spmvtune/tuner/stat"
)

// A winnerMap shows how near each kernel comes to the best: matrices by row length or, of many, their
// classes, and kernels by falling geometric mean.
type winnerMap struct {
	contest *analysis.Contest
	kernels []int // The standings that are drawn.
	rows    []winnerRow
}

// A winnerRow is a matrix or a class of matrices, or the geometric mean of all.
type winnerRow struct {
	name, note string
	mean       bool
	places     []int // The places of the contest that it is the mean of.
}

// winnersPage draws the map of a setup in which kernels compete.
func winnersPage(d *analysis.Data, s analysis.Setup) *canvas.Picture {
	c := analysis.NewContest(d.In(s))
	if len(c.Contenders) < 2 {
		return nil
	}
	m := winnerMapOf(d, c)
	p := pictureOf(d, "winner-map", s, fmt.Sprintf("shares of the best speed of %d kernels on %s", len(m.kernels),
		analysis.MatrixNames(c.Places)), m)
	if left := len(c.Contenders) - len(m.kernels); left > 0 {
		p.Subtitle += fmt.Sprintf(" Without %d further kernels.", left)
	}
	return p
}

// A Class is a range of row lengths with the places of a contest in it.
type Class struct {
	Title    string
	Places   []int
	RowMeans []float64 // The mean row lengths of their matrices.
}

// Classes lists the classes of a contest, whose places are by row length.
func Classes(d *analysis.Data, c *analysis.Contest) (list []Class) {
	for i := range c.Places {
		r := &c.Places[i].Rows[0]
		mean := cmp.Or(d.Matrix(r.Matrix).RowMean, byRowLength.value(r))
		if title := analysis.RowClass(mean); len(list) == 0 || list[len(list)-1].Title != title {
			list = append(list, Class{Title: title})
		}
		of := &list[len(list)-1]
		of.Places, of.RowMeans = append(of.Places, i), append(of.RowMeans, mean)
	}
	return list
}

// MeanShare is the geometric mean of a kernel's shares at some places, NaN if it was measured at none.
func MeanShare(k *analysis.Contender, places []int) float64 {
	var mean stat.GeometricMean
	for _, i := range places {
		if e := &k.Entries[i]; e.Row != nil {
			mean.Add(e.Share)
		}
	}
	return mean.Value()
}

const (
	winnerCell  = vg.Length(16.5) // The least width of a cell, which has room for "100".
	winnerPitch = vg.Length(15)   // The height of a row.
)

func winnerMapOf(d *analysis.Data, c *analysis.Contest) *winnerMap {
	m := &winnerMap{contest: c}
	for _, class := range Classes(d, c) {
		if len(c.Places) > mostMatrices.here() {
			m.rows = append(m.rows, winnerRow{name: class.Title, mean: true, places: class.Places})
			continue
		}
		for i, place := range class.Places {
			m.rows = append(m.rows, winnerRow{name: c.Places[place].Matrix, note: term.Significant(class.RowMeans[i], 3),
				places: []int{place}})
		}
	}
	all := winnerRow{name: "geometric mean", mean: true, places: lists.Indices(len(c.Places))}
	m.rows = append([]winnerRow{all}, m.rows...)
	for i := range m.rows {
		if r := &m.rows[i]; r.mean {
			r.note = "of " + term.Grouped(len(r.places))
		}
	}

	// The kernels that are the fastest somewhere come first where there is no room for all.
	room := int((canvas.PageWidth - 2*canvas.PageMargin - m.left()) / winnerCell)
	m.kernels = lists.Indices(len(c.Contenders))
	slices.SortStableFunc(m.kernels, func(a, b int) int {
		return -cmp.Compare(min(1, c.Contenders[a].Named), min(1, c.Contenders[b].Named))
	})
	m.kernels = m.kernels[:min(room, len(m.kernels))]
	slices.Sort(m.kernels)
	return m
}

// left is the room for the names of the rows.
func (m *winnerMap) left() vg.Length {
	name := canvas.Typeface(canvas.LabelSize, true, canvas.InkColor)
	soft := canvas.Typeface(canvas.TickSize, false, canvas.SoftColor)
	var names, notes vg.Length
	for _, r := range m.rows {
		names, notes = max(names, name.Width(r.name)), max(notes, soft.Width(r.note))
	}
	return canvas.Here(min(names, 190)+notes+16, min(names, 96)+6)
}

// head is the room for the turned names of kernels.
func (m *winnerMap) head() vg.Length {
	style := canvas.Typeface(canvas.TickSize, false, canvas.InkColor)
	return 8 + lists.Most(m.kernels, func(k int) vg.Length { return style.Width(m.contest.Contenders[k].Kernel) })
}

// Height is that of the keys, the names of kernels and the rows.
func (m *winnerMap) Height() vg.Length {
	return heatScale() + m.head() + winnerPitch*vg.Length(len(m.rows))
}

// Draw draws the map.
func (m *winnerMap) Draw(c draw.Canvas) {
	heatKeys(c, "0", "100% of the best speed", false)
	c.Max.Y -= heatScale()

	left := m.left()
	cell := min((c.Max.X-c.Min.X-left)/vg.Length(len(m.kernels)), 40)
	name := canvas.At(canvas.Typeface(canvas.TickSize, false, canvas.InkColor), text.XLeft, text.YCenter)
	name.Rotation = canvas.QuarterTurn
	top := c.Max.Y - m.head()
	for i, k := range m.kernels {
		c.FillText(name, vg.Point{X: c.Min.X + left + cell*(vg.Length(i)+0.5), Y: top + 4}, m.contest.Contenders[k].Kernel)
	}

	for i := range m.rows {
		r := &m.rows[i]
		y := top - winnerPitch*vg.Length(i)
		mid := y - winnerPitch/2
		label := canvas.At(canvas.Typeface(canvas.LabelSize, i == 0, canvas.InkColor), text.XLeft, text.YCenter)
		note := canvas.At(canvas.Typeface(canvas.TickSize, false, canvas.SoftColor), text.XRight, text.YCenter)
		room := left - 6
		if !canvas.Narrow() {
			c.FillText(note, vg.Point{X: c.Min.X + left - 6, Y: mid + 1}, r.note)
			room -= note.Width(r.note) + 6
		}
		c.FillText(label, vg.Point{X: c.Min.X, Y: mid + 1}, canvas.Fit(label, r.name, room))
		for j, k := range m.kernels {
			x := c.Min.X + left + cell*vg.Length(j)
			m.cell(c, &m.contest.Contenders[k], r, vg.Rectangle{Min: vg.Point{X: x, Y: y - winnerPitch},
				Max: vg.Point{X: x + cell, Y: y}})
		}
	}
	c.StrokeLine2(draw.LineStyle{Color: canvas.LineColor, Width: 1}, c.Min.X, top-winnerPitch,
		c.Min.X+left+cell*vg.Length(len(m.kernels)), top-winnerPitch)
}

// cell draws a kernel on a matrix, or its geometric mean over several.
func (m *winnerMap) cell(c draw.Canvas, s *analysis.Contender, r *winnerRow, box vg.Rectangle) {
	share, best := MeanShare(s, r.places), false
	if math.IsNaN(share) {
		return
	}
	step := canvas.HeatStep(share)
	canvas.FillHeat(c, box, step)
	if e := &s.Entries[r.places[0]]; !r.mean {
		best = e.Named
		if e.Tied && !best {
			in := vg.Point{X: 1.2, Y: 1.2}
			strokeTie(c, frameOf(vg.Rectangle{Min: box.Min.Add(in), Max: box.Max.Sub(in)}))
		}
	}
	c.FillText(canvas.OnHeat(valueSize, best, step), vg.Point{X: (box.Min.X + box.Max.X) / 2,
		Y: (box.Min.Y+box.Max.Y)/2 + 0.5}, term.OfBest(share))
}
