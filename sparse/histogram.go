package sparse

import "math"

// A histogram says how many rows have each length that occurs, in rising order of the length.
// It depends on the matrix alone, and so do floating-point results from it, summed in this
// order.
type histogram []bin

type bin struct{ length, rows int }

// size returns the number of rows and of entries.
func (h histogram) size() (rows, entries int) {
	for _, b := range h {
		rows += b.rows
		entries += b.rows * b.length
	}
	return rows, entries
}

// moments returns mean, population standard deviation and skewness, the third
// central moment over the cube of the deviation; 0 without rows, and skewness 0
// without deviation. Deviations are taken from the mean, so that nothing cancels.
func (h histogram) moments() (mean, std, skewness float64) {
	rows, entries := h.size()
	if rows == 0 {
		return 0, 0, 0
	}
	n := float64(rows)
	mean = float64(entries) / n
	var second, third float64

	for _, b := range h {
		d := float64(b.length) - mean
		second += float64(b.rows) * d * d
		third += float64(b.rows) * d * d * d
	}

	std = math.Sqrt(second / n)
	if std > 0 {
		skewness = third / n / (std * std * std)
	}
	return mean, std, skewness
}

// gini returns the Gini coefficient of the lengths, Σ(2k−n−1)·lengthₖ over
// n·Σlengthₖ, rows k from 1 to n in rising order of their length; 0 without
// entries.
func (h histogram) gini() float64 {
	rows, entries := h.size()
	if entries == 0 {
		return 0
	}
	sum, before := 0, 0 // |sum| is at most rows·entries, below 2⁶²

	for _, b := range h {
		sum += b.rows * (2*before + b.rows - rows) * b.length
		before += b.rows
	}
	return float64(sum) / (float64(rows) * float64(entries))
}

// shareAbove returns the share of the entries in rows longer than length.
func (h histogram) shareAbove(length int) float64 {
	_, entries := h.size()
	if entries == 0 {
		return 0
	}
	above := 0

	for _, b := range h {
		if b.length > length {
			above += b.rows * b.length
		}
	}
	return float64(above) / float64(entries)
}

// quantiles returns, for each percentage in rising order, the smallest length that
// at least this share of the rows does not exceed; 0 without rows.
func (h histogram) quantiles(percent ...int) []int {
	rows, _ := h.size()
	out := make([]int, len(percent))
	b, seen := -1, 0 // rows no longer than that of bin b
	for q, p := range percent {
		need := (rows*p + 99) / 100
		for seen < need {
			b++
			seen += h[b].rows
		}

		if b >= 0 {
			out[q] = h[b].length
		}
	}

	return out
}
