package sparse

// Features are the facts about a matrix's structure that rules are learned from
// and that the report sorts by. The names in JSON are the columns of the view
// features.
type Features struct {
	Rows     int `json:"rows"`
	Cols     int `json:"cols"`
	Nonzeros int `json:"nonzeros"` // stored entries after expansion, explicit zeros included

	// Row length: the number of stored entries in a row.
	RowMean   float64 `json:"row_mean"`
	RowStd    float64 `json:"row_std"` // population standard deviation
	RowMin    int     `json:"row_min"`
	RowP25    int     `json:"row_p25"` // quantiles: the smallest length that at least this share of rows does not exceed
	RowMedian int     `json:"row_median"`
	RowP75    int     `json:"row_p75"`
	RowP90    int     `json:"row_p90"`
	RowP99    int     `json:"row_p99"`
	RowMax    int     `json:"row_max"`
	EmptyRows int     `json:"empty_rows"`

	// ColsUsed is the number of columns with at least one entry: the elements
	// of x that a product must read.
	ColsUsed int `json:"cols_used"`
	// Bandwidth is the largest |i−j| over all entries, BandwidthMean the mean.
	Bandwidth     int     `json:"bandwidth"`
	BandwidthMean float64 `json:"bandwidth_mean"`
}
