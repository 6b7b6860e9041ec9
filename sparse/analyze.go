package sparse

// Analyze computes the features of m in one parallel pass over row offsets and columns, and
// from a sample of rows and entries; it does not read the values. Everything is summed in
// integers, so the result is the same on any number of cores. Means, deviations and shares over
// nothing are 0.
//
// The columns of m must lie within it and increase in each row, as Validate checks.
func Analyze[V Float](m *CSR[V]) Features {
	scans := make([]*scan, scanners(m.Rows, m.Cols, m.NNZ()))
	eachOf(len(scans), func(part, parts int) {
		s := newScan(m.Rows, m.Cols, m.RowPtr, m.ColIdx)
		s.look(share(m.NNZ(), part, parts)) // a giant row is everybody's work
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

// describe sets the features that the lengths of the rows give.
func (h histogram) describe(f *Features) {
	if len(h) == 0 {
		return
	}
	f.RowMin, f.RowMax = h[0].length, h[len(h)-1].length
	if f.RowMin == 0 {
		f.EmptyRows = h[0].rows
	}

	f.RowMean, f.RowStd, f.RowSkewness = h.moments()
	q := h.quantiles(25, 50, 75, 90, 99)
	f.RowP25, f.RowMedian, f.RowP75, f.RowP90, f.RowP99 = q[0], q[1], q[2], q[3], q[4]
	f.RowGini = h.gini()
	f.RowMaxOverMean = ratio(f.RowMax, f.RowMean)
	f.ShareAbove32, f.ShareAbove256, f.ShareAbove1024 = h.shareAbove(32), h.shareAbove(256), h.shareAbove(1024)
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
