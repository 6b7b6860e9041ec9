package cpu

import "testing"

// Forms that outgrow the limit are dropped, the one used longest ago first, but never the last.
func TestFormatsThatAreKept(t *testing.T) {
	f := &formats{limit: 10}
	for _, step := range []struct {
		c     int
		bytes int64
		built bool
		kept  int
	}{{1, 4, true, 1}, {2, 4, true, 2}, {1, 4, false, 2}, {3, 4, true, 2}, {1, 4, false, 2}, {2, 4, true, 2},
		{4, 9, true, 1}, {5, 20, true, 1}, {5, 20, false, 1}} {
		built := false
		value, _, err := build(f, formatKey{c: step.c}, func() (int, int64, error) {
			built = true
			return step.c, step.bytes, nil
		})
		if err != nil || value != step.c || built != step.built || len(f.kept) != step.kept {
			t.Errorf("%+v: got %d, built %v, %d are kept, %v", step, value, built, len(f.kept), err)
		}
	}
}
