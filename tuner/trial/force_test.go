package trial

import (
	"slices"
	"testing"
)

func TestReplaces(t *testing.T) {
	for _, tt := range []struct {
		name     string
		new, old Standing
		want     bool
	}{
		{"good over failure", Standing{Status: OK, At: 1}, Standing{Status: Fault, At: 2}, true},
		{"failure over good", Standing{Status: Fault, At: 2}, Standing{Status: OK, At: 1}, false},
		{"good over good", Standing{Status: OK, At: 2}, Standing{Status: OK, At: 1}, false},
		{"an earlier good one", Standing{Status: OK, At: 1}, Standing{Status: OK, At: 2}, true},
		{"later failure", Standing{Status: Fault, At: 2}, Standing{Status: OOM, At: 1}, true},
		{"earlier failure", Standing{Status: Fault, At: 1}, Standing{Status: OOM, At: 2}, false},
		{"the same failure", Standing{Status: Fault, At: 1}, Standing{Status: Fault, At: 1}, false},
		{"failures at one time", Standing{Status: Timeout, At: 1}, Standing{Status: Fault, At: 1}, true},
		{"failures at one time, the other way", Standing{Status: Fault, At: 1}, Standing{Status: Timeout, At: 1}, false},
	} {
		if got := tt.new.Replaces(tt.old); got != tt.want {
			t.Errorf("%s: %t, want %t", tt.name, got, tt.want)
		}
	}
}

// Of a configuration the last measurement counts, whatever the order in which results
// come, and never what a search measured with few samples only.
func TestInForce(t *testing.T) {
	a, b, c := Standing{ID: "a", Status: OK, At: 1}, Standing{ID: "b", Status: OK, At: 2},
		Standing{ID: "c", Status: OK, At: 2}
	wanted := Standing{ID: "wanted", Status: OK, At: 1, Asked: 4}
	failed := Standing{ID: "failed", Status: Fault, At: 3}
	partial := Standing{ID: "partial", Status: OK, At: 4, Partial: true}
	for _, tt := range []struct {
		name string
		list []Standing
		want string
	}{
		{"none", nil, ""},
		{"the latest", []Standing{a, b}, "b"},
		{"the greater identity at one time", []Standing{a, b, c}, "c"},
		{"a later failure", []Standing{a, failed}, "failed"},
		{"an earlier one that is wanted again", []Standing{b, wanted, failed}, "wanted"},
		{"not a partial one", []Standing{a, partial}, "a"},
		{"only a partial one", []Standing{partial}, ""},
	} {
		for range 2 {
			got := ""
			if i := InForce(tt.list); i >= 0 {
				got = tt.list[i].ID
			}
			if got != tt.want {
				t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
			}
			slices.Reverse(tt.list)
		}
	}
}

// Of an identity that was measured several times, the latest time is not forgotten.
func TestAsks(t *testing.T) {
	for _, tt := range []struct{ kept, old, want int64 }{{1, 5, 5}, {5, 1, 0}, {5, 5, 0}} {
		if got := (Standing{At: tt.kept}).Asks(Standing{At: tt.old}); got != tt.want {
			t.Errorf("%+v: %d", tt, got)
		}
		if got := (Standing{At: 0, Asked: tt.kept}).Asks(Standing{Asked: tt.old}); got != max(tt.kept, tt.old) {
			t.Errorf("%+v, asked: %d", tt, got)
		}
	}
}

// Times of different measurement versions are not compared; imported ones always are.
func TestCompetes(t *testing.T) {
	old, now, imported := Standing{Status: OK, Version: 1}, Standing{Status: OK, Version: 2}, Standing{Status: OK}
	failed, partial := Standing{Status: Fault, Version: 3}, Standing{Status: OK, Version: 3, Partial: true}
	for _, tt := range []struct {
		name string
		list []Standing
		want []bool
	}{
		{"one version", []Standing{old, imported}, []bool{true, true}},
		{"two versions", []Standing{old, now, imported}, []bool{false, true, true}},
		{"neither failures nor partial ones", []Standing{old, failed, partial}, []bool{true, false, false}},
		{"only imports", []Standing{imported}, []bool{true}},
	} {
		newest := Newest(tt.list)
		for i, s := range tt.list {
			if got := s.Competes(newest); got != tt.want[i] {
				t.Errorf("%s: %d competes: %t, want %t", tt.name, i, got, tt.want[i])
			}
		}
	}
}
