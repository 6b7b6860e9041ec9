package sparse

import (
	"reflect"
	"testing"
)

func TestRowLengths(t *testing.T) {
	for _, tt := range []struct {
		lengths []int32
		want    []LengthBin
	}{
		{nil, []LengthBin{}},
		{[]int32{0}, []LengthBin{{0, 0, 1, 0}}},
		{[]int32{3, 4, 2}, []LengthBin{{2, 3, 2, 5}, {4, 7, 1, 4}}},
		{[]int32{0, 1, 9, 0}, []LengthBin{{0, 0, 2, 0}, {1, 1, 1, 1}, {2, 3, 0, 0}, {4, 7, 0, 0}, {8, 15, 1, 9}}},
		{[]int32{MaxIndex}, []LengthBin{{1 << 30, MaxIndex, 1, MaxIndex}}},
	} {
		m := &CSR[float64]{Rows: len(tt.lengths), RowPtr: []int32{0}} // no entries: lengths are enough
		for i, n := range tt.lengths {
			m.RowPtr = append(m.RowPtr, m.RowPtr[i]+n)
		}
		if got := RowLengths(m); !reflect.DeepEqual(got, tt.want) && len(got)+len(tt.want) > 0 {
			t.Errorf("%v: %v, want %v", tt.lengths, got, tt.want)
		}
	}
}
