package sparse

import "math/bits"

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
