// SPDX-License-Identifier: Apache-2.0

package sparse

import (
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"slices"
	"strings"
	"sync"

	"example.org/spmvtune/internal/base/panics"
)

// Features are the facts about a matrix's structure that rules are learned from
// and that the report sorts by. The names in JSON are the columns of the view
// features. docs/database.md has the formula, range and origin of each.
//
// From RowSkewness on, a NaN says that the feature is not known: the matrix was
// recorded before the feature was there. So does a NaN or Unknown in any feature of a
// matrix that somebody else has measured on.
type Features struct {
	Rows     int `json:"rows"`
	Cols     int `json:"cols"`
	Nonzeros int `json:"nonzeros"` // stored entries after expansion, explicit zeros included

	// Row length: the number of stored entries in a row.
	RowMean float64 `json:"row_mean"`
	RowStd  float64 `json:"row_std"` // population standard deviation
	RowMin  int     `json:"row_min"`
	// quantiles: the smallest length that at least this share of rows does not exceed
	RowP25    int `json:"row_p25"`
	RowMedian int `json:"row_median"`
	RowP75    int `json:"row_p75"`
	RowP90    int `json:"row_p90"`
	RowP99    int `json:"row_p99"`
	RowMax    int `json:"row_max"`
	EmptyRows int `json:"empty_rows"`

	// ColsUsed is the number of columns with at least one entry: the elements
	// of x that a product must read.
	ColsUsed int `json:"cols_used"`
	// Bandwidth is the largest |i−j| over all entries, BandwidthMean the mean.
	Bandwidth     int     `json:"bandwidth"`
	BandwidthMean float64 `json:"bandwidth_mean"`

	// RowSkewness is the third standardized moment of the row length, 0 where
	// all rows are equally long.
	RowSkewness float64 `json:"row_skewness"`
	// RowGini is the Gini coefficient of the row length: 0 where all rows are
	// equally long, near 1 where few rows hold all entries.
	RowGini        float64 `json:"row_gini"`
	RowMaxOverMean float64 `json:"row_max_over_mean"`
	// The share of the entries that lie in rows of more than 32, 256 and 1024.
	ShareAbove32   float64 `json:"share_above_32"`
	ShareAbove256  float64 `json:"share_above_256"`
	ShareAbove1024 float64 `json:"share_above_1024"`

	// RowSpanMean is the mean over all rows of last column − first column.
	RowSpanMean float64 `json:"row_span_mean"`
	// Profile is the sum of the distances from the first entry of a row to the diagonal, over
	// all rows whose first entry lies left of it; rounded above 2⁵³.
	Profile float64 `json:"profile"`
	// ColGapMean is the mean distance between consecutive columns of a row.
	ColGapMean float64 `json:"col_gap_mean"`
	// NeighbourRate is the mean number of entries in the columns next to that of
	// an entry, in its row: 0 to 2.
	NeighbourRate float64 `json:"neighbour_rate"`
	// RowSimilarity is the mean, over the rows that are not empty, of the share
	// of a row's entries for which the next such row has an entry at most one
	// column away. Above 2¹² entries it is estimated from a sample, with a standard
	// error below 0.016.
	RowSimilarity float64 `json:"row_similarity"`
	// Diagonals is the number of distinct j−i.
	Diagonals float64 `json:"diagonals"`
	// PatternSymmetry is the share of the entries off the diagonal whose mirror image is also
	// stored. It is 1 if there are no such entries, and 0 for a matrix that is not square.
	// Above 2¹² entries it is estimated from a sample, with a standard error below 0.016.
	PatternSymmetry float64 `json:"pattern_symmetry"`
}

// Unknown stands for a count that is not known.
const Unknown = -1

// Equal reports whether f and g are equal, unknown features included.
func (f Features) Equal(g Features) bool {
	return slices.EqualFunc(f.Values(), g.Values(), func(x, y float64) bool { return x == y || x != x && y != y })
}

// UnknownFeatures are the features of a matrix of which nothing is known.
func UnknownFeatures() Features {
	var f Features
	v := reflect.ValueOf(&f).Elem()
	for i := range v.NumField() {
		if v.Field(i).CanFloat() {
			v.Field(i).SetFloat(math.NaN())
		} else {
			v.Field(i).SetInt(Unknown)
		}
	}

	return f
}

// FeatureNames lists the names of the features, as in JSON.
func FeatureNames() []string { return slices.Clone(featureNames()) }

var featureNames = sync.OnceValue(func() []string {
	t := reflect.TypeFor[Features]()
	names := make([]string, t.NumField())
	for i := range names {
		names[i], _, _ = strings.Cut(t.Field(i).Tag.Get("json"), ",")
	}
	return names
})

// Set gives the feature of this name a value. It refuses impossible values: negative ones,
// except for row_skewness, and counts with a fraction.
func (f *Features) Set(name string, x float64) error {
	v := reflect.ValueOf(f).Elem()
	for i, n := range featureNames() {
		if n != name {
			continue
		}
		switch count := !v.Field(i).CanFloat(); {
		case math.IsNaN(x) || math.IsInf(x, 0):
			return fmt.Errorf("%s = %v is not a number", name, x)
		case x < 0 && name != "row_skewness":
			return fmt.Errorf("%s = %v is negative", name, x)
		case count && (x != math.Trunc(x) || x > 1<<53):
			return fmt.Errorf("%s = %v is not a whole number, which a count is", name, x)
		case count:
			v.Field(i).SetInt(int64(x))
		default:
			v.Field(i).SetFloat(x)
		}

		return nil
	}

	return fmt.Errorf("no feature is called %q", name)
}

// Values are those of the features, in the order of FeatureNames.
func (f Features) Values() []float64 {
	v := reflect.ValueOf(f)
	values := make([]float64, v.NumField())
	for i := range values {
		if v.Field(i).CanFloat() {
			values[i] = v.Field(i).Float()
		} else {
			values[i] = float64(v.Field(i).Int())
		}
	}
	return values
}

// Analyze computes the features of m in one parallel pass over row offsets and columns, and
// from a sample of rows and entries; it does not read the values. Everything is summed in
// integers, so the result is the same on any number of cores. Means, deviations and shares over
// nothing are 0.
//
// The columns of m must lie within it and increase in each row, as Validate checks.
func Analyze[V Float](m *CSR[V]) Features {
	// The marks of all scans take no more memory than the columns of the entries and the marks of one.
	scans := make([]*scan, min(workers(m.Rows+m.NNZ()), 1+4*m.NNZ()/(m.Rows+2*m.Cols+1)))
	panics.Parts(m.NNZ(), len(scans), func(part, lo, hi int) {
		s := &scan{rowPtr: m.RowPtr, colIdx: m.ColIdx, used: newMarks(m.Cols), diagonals: newMarks(m.Rows + m.Cols)}
		s.look(lo, hi) // a giant row is everybody's work
		scans[part] = s
	})
	var total scan

	var used, diagonals []marks
	for _, s := range scans {
		total.add(s)
		used, diagonals = append(used, s.used), append(diagonals, s.diagonals)
	}

	total.lengths.short[0] = m.Rows - total.rows
	f := Features{Rows: m.Rows, Cols: m.Cols, Nonzeros: m.NNZ()}
	total.lengths.histogram().describe(&f)
	total.describe(&f)
	f.ColsUsed, f.Diagonals = union(used), float64(union(diagonals))
	if m.NNZ() > 0 {
		count, piece := sampleSize(m.NNZ())
		f.RowSimilarity = rowSimilarity(m.RowPtr, m.ColIdx, count, piece)
		if m.Rows == m.Cols {
			f.PatternSymmetry = patternSymmetry(m.RowPtr, m.ColIdx, count)
		}
	}

	return f
}

// describe sets the features that depend on where the entries are. Those of the
// lengths must be there.
func (s *scan) describe(f *Features) {
	full := f.Rows - f.EmptyRows
	f.Bandwidth = s.largest
	f.BandwidthMean = ratio(s.distance, float64(f.Nonzeros))
	f.RowSpanMean = ratio(s.span, float64(f.Rows))
	f.Profile = float64(s.profile)
	f.ColGapMean = ratio(s.span, float64(f.Nonzeros-full))
	f.NeighbourRate = ratio(2*s.neighbours, float64(f.Nonzeros))
}

func ratio[N int | uint64](a N, b float64) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / b
}

// A LengthBin counts the rows of lengths From to To, both included, and their entries.
type LengthBin struct {
	From     int `json:"from"`
	To       int `json:"to"`
	Rows     int `json:"rows"`
	Nonzeros int `json:"nonzeros"`
}

// RowLengths counts rows by length: a bin for length 0, and one for each of 1, 2–3,
// 4–7 and so on, from that of the shortest row to that of the longest.
func RowLengths[V Float](m *CSR[V]) []LengthBin {
	bins := []LengthBin{{}}
	for at := range 31 {
		bins = append(bins, LengthBin{From: 1 << at, To: 2<<at - 1})
	}
	first, last := len(bins), 0

	for i := range m.Rows {
		n := int(m.RowPtr[i+1] - m.RowPtr[i])
		at := bits.Len(uint(n))
		bins[at].Rows++
		bins[at].Nonzeros += n
		first, last = min(first, at), max(last, at+1)
	}

	return bins[min(first, last):last]
}

// A histogram says how many rows have each length that occurs, in rising order of the length.
// It depends on the matrix alone, and so do floating-point results from it, summed in this
// order.
type histogram []bin

type bin struct{ length, rows int }

// describe sets the features that the lengths of the rows give; rows and nonzeros must be there. Deviations are taken
// from the mean, so that nothing cancels; skewness is the third central moment over the cube of the deviation. The Gini
// coefficient is Σ(2k−n−1)·lengthₖ over n·Σlengthₖ, rows k from 1 to n in rising order of their length.
func (h histogram) describe(f *Features) {
	if len(h) == 0 {
		return
	}
	f.RowMin, f.RowMax = h[0].length, h[len(h)-1].length
	if f.RowMin == 0 {
		f.EmptyRows = h[0].rows
	}
	n, entries := float64(f.Rows), float64(f.Nonzeros)
	f.RowMean = entries / n
	f.RowMaxOverMean = ratio(f.RowMax, f.RowMean)

	quantiles := []*int{&f.RowP25, &f.RowMedian, &f.RowP75, &f.RowP90, &f.RowP99}
	percent := []int{25, 50, 75, 90, 99}
	shares := []*float64{&f.ShareAbove32, &f.ShareAbove256, &f.ShareAbove1024}
	above := make([]int, len(shares)) // entries
	var second, third float64
	gini, before, q := 0, 0, 0 // |gini| is at most rows·entries, below 2⁶²
	for _, b := range h {
		d := float64(b.length) - f.RowMean
		second += float64(b.rows) * d * d
		third += float64(b.rows) * d * d * d
		gini += b.rows * (2*before + b.rows - f.Rows) * b.length
		before += b.rows
		for ; q < len(percent) && before >= (f.Rows*percent[q]+99)/100; q++ {
			*quantiles[q] = b.length
		}
		for k, limit := range []int{32, 256, 1024} {
			if b.length > limit {
				above[k] += b.rows * b.length
			}
		}
	}

	if f.RowStd = math.Sqrt(second / n); f.RowStd > 0 {
		f.RowSkewness = third / n / (f.RowStd * f.RowStd * f.RowStd)
	}
	f.RowGini = ratio(gini, n*entries)
	for k, share := range shares {
		*share = ratio(above[k], entries)
	}
}

// shortRow bounds the row lengths that are counted in a table. Longer rows are
// listed one by one: there are at most nonzeros/shortRow of them.
const shortRow = 1024

// lengths counts rows by their length. Counts can be united in any order.
type lengths struct {
	short [shortRow]int
	long  []int32
}

func (l *lengths) add(length int32) {
	if length < shortRow {
		l.short[length]++
	} else {
		l.long = append(l.long, length)
	}
}

func (l *lengths) unite(o *lengths) {
	for n, count := range o.short {
		l.short[n] += count
	}
	l.long = append(l.long, o.long...)
}

// histogram lists the lengths that occur, in rising order.
func (l *lengths) histogram() histogram {
	var h histogram
	for n, count := range l.short {
		if count > 0 {
			h = append(h, bin{n, count})
		}
	}

	slices.Sort(l.long)
	for _, n := range l.long {
		if last := len(h) - 1; last >= 0 && h[last].length == int(n) {
			h[last].rows++
		} else {
			h = append(h, bin{int(n), 1})
		}
	}

	return h
}
