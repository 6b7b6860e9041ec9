package sparse

import "reflect"

// Features are the facts about a matrix's structure that rules are learned from
// and that the report sorts by. The names in JSON are the columns of the view
// features. docs/features.md has the formula, range and origin of each.
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
	a, b := reflect.ValueOf(f), reflect.ValueOf(g)
	for i := range a.NumField() {
		x, y := a.Field(i), b.Field(i)
		if unknown := x.CanFloat() && x.Float() != x.Float() && y.Float() != y.Float(); !unknown && !x.Equal(y) {
			return false
		}
	}
	return true
}
