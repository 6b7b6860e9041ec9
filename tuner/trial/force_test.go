package trial

import (
	"slices"
	"testing"
)

func TestReplaces(t *testing.T) {
	for _, tt := range []struct {
		name     string
		new, old Precedence
		want     bool
	}{
		{"good over failure", Precedence{Status: OK, At: 1}, Precedence{Status: Fault, At: 2}, true},
		{"failure over good", Precedence{Status: Fault, At: 2}, Precedence{Status: OK, At: 1}, false},
		{"good over good", Precedence{Status: OK, At: 2}, Precedence{Status: OK, At: 1}, false},
		{"an earlier good one", Precedence{Status: OK, At: 1}, Precedence{Status: OK, At: 2}, true},
		{"later failure", Precedence{Status: Fault, At: 2}, Precedence{Status: OOM, At: 1}, true},
		{"earlier failure", Precedence{Status: Fault, At: 1}, Precedence{Status: OOM, At: 2}, false},
		{"the same failure", Precedence{Status: Fault, At: 1}, Precedence{Status: Fault, At: 1}, false},
		{"failures at one time", Precedence{Status: Timeout, At: 1}, Precedence{Status: Fault, At: 1}, true},
		{"failures at one time, the other way", Precedence{Status: Fault, At: 1}, Precedence{Status: Timeout, At: 1}, false},
	} {
		if got := tt.new.Replaces(tt.old); got != tt.want {
			t.Errorf("%s: %t, want %t", tt.name, got, tt.want)
		}
	}
}

// Of a configuration the last measurement counts, whatever the order in which results
// come, and never what a search measured with few samples only.
func TestInForce(t *testing.T) {
	a, b, c := Precedence{ID: "a", Status: OK, At: 1}, Precedence{ID: "b", Status: OK, At: 2},
		Precedence{ID: "c", Status: OK, At: 2}
	wanted := Precedence{ID: "wanted", Status: OK, At: 1, LastRequested: 4}
	failed := Precedence{ID: "failed", Status: Fault, At: 3}
	partial := Precedence{ID: "partial", Status: OK, At: 4, Partial: true}
	for _, tt := range []struct {
		name string
		list []Precedence
		want string
	}{
		{"none", nil, ""},
		{"the latest", []Precedence{a, b}, "b"},
		{"the greater identity at one time", []Precedence{a, b, c}, "c"},
		{"a later failure", []Precedence{a, failed}, "failed"},
		{"an earlier one that is wanted again", []Precedence{b, wanted, failed}, "wanted"},
		{"not a partial one", []Precedence{a, partial}, "a"},
		{"only a partial one", []Precedence{partial}, ""},
	} {
		for range 2 {
			got := ""
			if i := Current(tt.list); i >= 0 {
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
		if got := (Precedence{At: tt.kept}).LastRequest(Precedence{At: tt.old}); got != tt.want {
			t.Errorf("%+v: %d", tt, got)
		}
		if got := (Precedence{At: 0, LastRequested: tt.kept}).LastRequest(Precedence{LastRequested: tt.old}); got != max(tt.kept, tt.old) {
			t.Errorf("%+v, asked: %d", tt, got)
		}
	}
}

// Times of different measurement versions are not compared; imported ones always are.
func TestCompetes(t *testing.T) {
	old, now, imported := Precedence{Status: OK, Version: 1}, Precedence{Status: OK, Version: 2}, Precedence{Status: OK}
	failed, partial := Precedence{Status: Fault, Version: 3}, Precedence{Status: OK, Version: 3, Partial: true}
	for _, tt := range []struct {
		name string
		list []Precedence
		want []bool
	}{
		{"one version", []Precedence{old, imported}, []bool{true, true}},
		{"two versions", []Precedence{old, now, imported}, []bool{false, true, true}},
		{"neither failures nor partial ones", []Precedence{old, failed, partial}, []bool{true, false, false}},
		{"only imports", []Precedence{imported}, []bool{true}},
	} {
		newest := Newest(tt.list)
		for i, s := range tt.list {
			if got := s.Competes(newest); got != tt.want[i] {
				t.Errorf("%s: %d competes: %t, want %t", tt.name, i, got, tt.want[i])
			}
		}
	}
}
