// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"math"
	"reflect"
	"slices"
	"strconv"

	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
)

// A Feature is a number about a matrix that a tree may split on.
type Feature struct {
	Name string // name in the JSON of sparse.Features, or of a ratio of two features
	Unit string // what the number counts, in plural; "" for a ratio
	Doc  string
	// Value computes the feature. It is finite and not negative, or NaN where the
	// matrix was recorded by a program that did not know the feature, or the device is not known.
	Value func(*Subject) float64
}

// Features lists the features of a matrix. If two splits save the same, the feature listed
// first is taken. First come the features that the sizes of the matrix give for free, with the
// row length before the sizes themselves, because a rule about the shape of rows also holds for
// smaller and larger matrices.
func Features() []Feature { return slices.Clone(features) }

// Trees split on the first features only: those over sizes on what whoever has the matrix
// knows, those over all features also on how unequal its rows are, which the row offsets say.
// The work of a thread, a warp and a block depends on these.
//
// Ensembles split on what follows from the row offsets and the device, on sizes as shares of what
// the device has, so that what was learned on one device holds for another, on six numbers that say how far apart
// the columns of a row are, and how far from the diagonal, which one pass over the columns gives, and on whether the next
// row has a row's columns, of a sample.
//
// Note: with the columns and all other features as well, trees learned from the H100's corpus
// were worse on families left out, and up to seven times too slow on entire families. With a
// few dozen families, any number can stand in for another: few columns were taken to mean few
// rows, until there was a matrix with few columns and many rows.
const (
	free     = 3
	relative = free + 10 // where features begin that are relative to the device
	shape    = relative + 1
	absolute = relative + 4 // where those begin that are not
	offsets  = absolute + 9 // where those begin that need the columns
	others   = offsets + 7  // where those begin that nothing splits on
	inMemory = others       // the one of them that is relative to the device
)

var features = []Feature{
	stored("row_mean", "nonzeros", "mean row length: stored entries per row"),
	stored("nonzeros", "", "stored entries, symmetric files expanded"),
	stored("rows", "", "rows of the matrix"),

	{"row_max_over_mean", "", "longest row over mean row length: how skewed the rows are",
		func(f *Subject) float64 { return ratio(known(f.RowMax), f.RowMean) }},
	{"row_max_share", "", "share of the entries in the longest row",
		func(f *Subject) float64 { return ratio(known(f.RowMax), known(f.Nonzeros)) }},
	{"row_p99_over_mean", "", "row length that 99% of the rows do not exceed, over the mean",
		func(f *Subject) float64 { return ratio(known(f.RowP99), f.RowMean) }},
	{"row_std_over_mean", "", "standard deviation of the row length over its mean",
		func(f *Subject) float64 { return ratio(f.RowStd, f.RowMean) }},
	stored("row_max", "nonzeros", "longest row"),
	stored("row_gini", "", "Gini coefficient of the row length: 0 for equal rows, near 1 where few rows hold all entries"),
	stored("share_above_32", "", "share of the entries in rows longer than 32"),
	stored("share_above_256", "", "share of the entries in rows longer than 256"),
	stored("share_above_1024", "", "share of the entries in rows longer than 1024"),
	{"empty_share", "", "share of the rows that are empty",
		func(f *Subject) float64 { return ratio(known(f.EmptyRows), known(f.Rows)) }},

	{"cache_share", "", "bytes of the matrix in CSR and both vectors, in float64, over the device's last-level cache",
		func(f *Subject) float64 { return f.overCache(f.footprint()) }},
	{"x_cache_share", "", "bytes of the vector x, in float64, over the device's last-level cache",
		func(f *Subject) float64 { return f.overCache(known(f.Cols) * 8) }},
	{"nonzeros_per_warp", "", "stored entries for each warp that the device runs at a time",
		func(f *Subject) float64 { return f.perWarp(f.Nonzeros) }},
	{"rows_per_warp", "", "rows for each warp that the device runs at a time",
		func(f *Subject) float64 { return f.perWarp(f.Rows) }},

	stored("cols", "", "columns of the matrix"),
	stored("row_std", "nonzeros", "standard deviation of the row length"),
	stored("row_min", "nonzeros", "shortest row"),
	stored("row_median", "nonzeros", "row length that half of the rows do not exceed"),
	stored("row_p25", "nonzeros", "row length that 25% of the rows do not exceed"),
	stored("row_p75", "nonzeros", "row length that 75% of the rows do not exceed"),
	stored("row_p90", "nonzeros", "row length that 90% of the rows do not exceed"),
	stored("row_p99", "nonzeros", "row length that 99% of the rows do not exceed"),
	stored("empty_rows", "", "rows without an entry"),
	{"row_span_share", "", "mean distance from the first to the last column of a row, over the columns",
		func(f *Subject) float64 { return ratio(f.RowSpanMean, known(f.Cols)) }},
	stored("col_gap_mean", "columns", "mean distance between consecutive columns of a row"),
	stored("neighbour_rate", "", "mean number of entries right beside an entry, in its row"),
	stored("row_similarity", "", "mean share of a row's columns that the next row has too, give or take one"),
	{"row_spread", "", "near 0 where a first-level cache holds what a row spans of x, near 1 where it spans far more",
		func(f *Subject) float64 { return saturated(f.RowSpanMean / spanned) }},
	stored("bandwidth_mean", "columns", "mean distance of an entry from the diagonal"),
	stored("bandwidth", "columns", "largest distance of an entry from the diagonal"),

	{"memory_share", "", "share of the matrix that comes from memory, about: 0 where the cache holds it, near 1 where it is far larger",
		func(f *Subject) float64 { return saturated(math.Pow(1.2*f.overCache(f.footprint()), 4)) }},
	stored("cols_used", "", "columns with at least one entry"),
	stored("row_span_mean", "columns", "mean distance from the first to the last column of a row"),
	stored("profile", "columns", "sum of the distances from a row's first column to the diagonal"),
	stored("diagonals", "", "diagonals with at least one entry"),
	stored("pattern_symmetry", "", "share of the entries off the diagonal whose mirror image is stored"),
}

// stored is a feature that sparse computes.
func stored(name, unit, doc string) Feature {
	i := slices.Index(sparse.FeatureNames(), name)
	return Feature{name, unit, doc, func(f *Subject) float64 {
		v := reflect.ValueOf(f.Features).Elem().Field(i)
		if v.CanFloat() {
			return v.Float()
		}
		return known(int(v.Int()))
	}}
}

// spanned is the columns that a row may span for a first-level cache to hold half of what its neighbours need of x.
const spanned = 12000

// saturated takes 0 to 0, 1 to a half, and what is large to nearly 1.
func saturated(x float64) float64 { return 1 - 1/(1+x) }

// known is a count, or NaN if it is not known.
func known(n int) float64 {
	if n == sparse.Unknown {
		return math.NaN()
	}
	return float64(n)
}

// ratio is a/b, and 0 where the matrix has no rows or entries to divide by.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// places are those of the features, by name.
var places = func() map[string]int {
	at := make(map[string]int, len(features))
	for i, f := range features {
		at[f.Name] = i
	}
	return at
}()

// Hardware is what of a device says whether a matrix is large for it. What is 0 is not known.
type Hardware struct {
	Cache int64 `json:"cache_bytes"` // last-level cache
	Warps int   `json:"warps"`       // that run at a time; on a processor its cores
}

// HardwareOf reads it from what a device says of itself.
func HardwareOf(d kernels.Device) Hardware {
	threads, err := strconv.Atoi(d.Properties["threads_unit"])
	if err != nil {
		threads = 32
	}
	return Hardware{Cache: d.Cache, Warps: d.Units * threads / 32}
}

// A Subject is what a rule is asked about: a matrix, for a device.
type Subject struct {
	*sparse.Features
	Hardware
	// Takes says whether a configuration is legal on the matrix, beyond what features tell of it; nil: nobody can tell.
	Takes func(kernels.Config) bool
}

// footprint is the bytes of a matrix in CSR with both vectors, in float64: the trees of a precision
// compare it with each other only.
func (s *Subject) footprint() float64 {
	return known(s.Nonzeros)*12 + known(s.Rows)*12 + known(s.Cols)*8
}

// overCache is a number of bytes over the size of the cache, NaN if that is not known.
func (s *Subject) overCache(bytes float64) float64 {
	if s.Cache <= 0 {
		return math.NaN()
	}
	return bytes / float64(s.Cache)
}

// perWarp is a count over the number of warps, NaN if that is not known.
func (s *Subject) perWarp(count int) float64 {
	if s.Warps <= 0 {
		return math.NaN()
	}
	return known(count) / float64(s.Warps)
}
