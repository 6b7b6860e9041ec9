package figure

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"

	"spmvtune/analysis"
	"spmvtune/plots/canvas"
	"spmvtune/tuner/trial"
)

// drawFeatures draws matrices by the mean and the variation of their row lengths, coloured by the best
// kernel, where these two features decide which that is.
func drawFeatures(d *analysis.Data) (pages []*canvas.Picture, _ []error) {
	for _, s := range d.Setups() {
		if f := featuresOf(d, s); f.decide() {
			pages = append(pages, f.page(d))
		}
	}
	return pages, nil
}

// features are the matrices of a setup whose features are known.
type features struct {
	analysis.Setup
	contest *analysis.Contest
	points  []featured
	right   int // On how many the kernel of the nearest other matrix is the best, or tied.
	alone   int // On how many the one kernel is that is so most often, which is called single.
	single  string
	winners []string
}

// A featured matrix is the place of a contest with its features.
type featured struct {
	place           int
	mean, variation float64 // The variation is the standard deviation over the mean.
	kernel          string
}

// leastVariation stands for that of rows of equal length, which a logarithmic axis can't show.
const leastVariation = 0.01

// fewestFeatured is the number of matrices from which on two features may decide.
const fewestFeatured = 8

func featuresOf(d *analysis.Data, s analysis.Setup) *features {
	f := &features{Setup: s, contest: analysis.NewContest(d.In(s))}
	for i := range f.contest.Places {
		at := slices.IndexFunc(d.Matrices, func(m trial.Matrix) bool { return m.Name == f.contest.Places[i].Matrix })
		if at < 0 || !(d.Matrices[at].RowMean > 0) || !(d.Matrices[at].RowStd >= 0) {
			continue
		}
		m := &d.Matrices[at]
		named := slices.IndexFunc(f.contest.Contenders, func(k analysis.Contender) bool { return k.Entries[i].Named })
		f.points = append(f.points, featured{place: i, kernel: f.contest.Contenders[named].Kernel, mean: m.RowMean,
			variation: max(m.RowStd/m.RowMean, leastVariation)})
	}
	f.winners = distinct(f.points, func(p *featured) string { return p.kernel })
	analysis.SortKernels(f.winners)
	f.judge()
	return f
}

// judge counts how often the kernel of the nearest other matrix is right, and how often one kernel.
func (f *features) judge() {
	for i := range f.points {
		nearest, least := -1, math.Inf(1)
		for j := range f.points {
			if far := f.points[i].distance(&f.points[j]); j != i && far < least {
				nearest, least = j, far
			}
		}
		if nearest >= 0 && f.best(f.points[nearest].kernel, f.points[i].place) {
			f.right++
		}
	}
	for i := range f.contest.Contenders {
		name, n := f.contest.Contenders[i].Kernel, 0
		for _, p := range f.points {
			if f.best(name, p.place) {
				n++
			}
		}
		if n > f.alone {
			f.alone, f.single = n, name
		}
	}
}

// best reports whether a kernel is the best at a place, or tied with it.
func (f *features) best(kernel string, place int) bool {
	return f.contest.Contenders[f.standing(kernel)].Entries[place].Tied
}

func (a *featured) distance(b *featured) float64 {
	return math.Hypot(math.Log(a.mean/b.mean), math.Log(a.variation/b.variation))
}

// decide reports whether the features tell more than to take one kernel for all.
func (f *features) decide() bool {
	return len(f.points) >= fewestFeatured && len(f.winners) > 1 && f.right > f.alone
}

func (f *features) page(d *analysis.Data) *canvas.Picture {
	p := &canvas.Picture{
		Name:     fileStem(d, "winner-features", f.Device, string(f.Precision), string(f.Cache)),
		Subtitle: wordsOf("winner-features").Says,
		Alt:      fmt.Sprintf("%d matrices by mean and variation of their row lengths", len(f.points)),
		Kernels:  f.winners,
		Keys:     canvas.KeysOf(f.winners, true),
		Height:   330,
	}
	entitle(p, fmt.Sprintf("The kernel of the nearest other matrix is the best, or tied, on %d of %d; %s for all, on %d",
		f.right, len(f.points), f.single, f.alone), "Row length and variation, "+d.Words(f.Setup))

	panel := canvas.Panel{X: f.axis(func(q *featured) float64 { return q.mean }),
		Y: f.axis(func(q *featured) float64 { return q.variation })}
	taken := new([]vg.Point)
	for _, name := range f.winners {
		m := canvas.Marks{Look: canvas.LookOf(name), Radius: 3, Taken: taken}
		for _, q := range f.points {
			if q.kernel == name {
				point := canvas.Exact(q.mean, q.variation)
				point.Row = f.contest.Contenders[f.standing(name)].Entries[q.place].Row
				m.Points = append(m.Points, point)
			}
		}
		panel.Add(m)
	}
	p.Body = canvas.Panels{List: []canvas.Panel{panel}, X: rowLengthLabel, Y: "variation of the row length"}.Draw
	return p
}

func (f *features) standing(kernel string) int {
	return slices.IndexFunc(f.contest.Contenders, func(s analysis.Contender) bool { return s.Kernel == kernel })
}

// axis is a logarithmic axis over a feature.
func (f *features) axis(of func(*featured) float64) canvas.Scale {
	low, high := math.Inf(1), 0.0
	for i := range f.points {
		low, high = min(low, of(&f.points[i])), max(high, of(&f.points[i]))
	}
	pad := max(1.1, math.Pow(high/low, 0.04))
	return canvas.LogBetween(low/pad, high*pad, 10)
}
