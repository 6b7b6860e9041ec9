package analysis

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"spmvtune/internal/base/term"
	"spmvtune/tuner/stat"
	"spmvtune/tuner/trial"
)

// lead finds the leader: the rival than which no other one is faster in the geometric mean of the places of both, nor
// any kernel that shares more than few matrices with it. It shares places with all rivals: where no two kernels share one,
// none leads.
func (s *scene) lead() {
	list := s.contest.Contenders
	for i := range list {
		if 2*list[i].Tried > len(s.places) {
			s.rivals = append(s.rivals, &list[i])
		}
	}
	if s.rivals == nil {
		for i := range list {
			s.rivals = append(s.rivals, &list[i])
		}
	}
	s.few = true
	for _, k := range s.rivals {
		if s.ahead(k) && !s.apart {
			s.leader = k
			s.few = slices.ContainsFunc(s.rivals, func(o *Contender) bool { return s.shared(k, o) <= fewMatrices })
			return
		}
	}
}

// ahead reports whether a kernel is compared with all rivals, and behind no other.
func (s *scene) ahead(k *Contender) bool {
	for i := range s.contest.Contenders {
		other := &s.contest.Contenders[i]
		n, rival := s.shared(k, other), slices.Contains(s.rivals, other)
		r, _ := Over(other.Entries, k.Entries)
		if rival && n == 0 || (rival || n > fewMatrices) && r.Value > 1 {
			return false
		}
	}
	return true
}

// shared counts the matrices on which both of two kernels were measured.
func (s *scene) shared(a, b *Contender) int {
	names := map[string]bool{}
	for i := range s.places {
		if a.Entries[i].Row != nil && b.Entries[i].Row != nil {
			names[s.places[i].Matrix] = true
		}
	}
	return len(names)
}

// winners lists the places where each kernel was measured the fastest.
func (s *scene) winners() map[string][]trial.Case {
	won := map[string][]trial.Case{}
	for i := range s.places {
		name := Fastest(s.places[i].Rows).Kernel
		won[name] = append(won[name], s.places[i].Case)
	}
	return won
}

// open counts the places that a kernel won, and another one may have.
func (s *scene) open(kernel string) (places int) {
	for i := range s.places {
		tied := 0
		for k := range s.contest.Contenders {
			if s.contest.Contenders[k].Entries[i].Tied {
				tied++
			}
		}
		if tied > 1 && Fastest(s.places[i].Rows).Kernel == kernel {
			places++
		}
	}
	return places
}

// equals lists the leader and the rivals that may as well be in its place: nowhere is either of them much faster.
func (s *scene) equals() []string {
	names := []string{s.leader.Kernel}
	for _, k := range s.rivals {
		r, _ := Over(s.leader.Entries, k.Entries)
		if k != s.leader && tied(r) && r.Value < near && !differ(s.leader.Entries, k.Entries) {
			names = append(names, k.Kernel)
		}
	}
	return names
}

// differ reports whether one of two kernels is much faster than the other at a place of both.
func differ(a, b []Entry) bool {
	for i := range a {
		x, y := a[i].Row, b[i].Row
		if x == nil || y == nil {
			continue
		}
		if r := Ratio(x, y); !tied(r) && max(r.Value, 1/r.Value) >= near {
			return true
		}
	}
	return false
}

// spread is how far the means of equals are apart.
func (s *scene) spread(equal []string) string {
	apart := 1.0
	for _, k := range s.rivals {
		if r, _ := Over(s.leader.Entries, k.Entries); slices.Contains(equal, k.Kernel) {
			apart = max(apart, r.Value)
		}
	}
	return term.ShortPercent(apart - 1)
}

// gainer names the kernel that gains the most over the leader at places where it is the fastest, "" if there is none,
// with these places and how many times as fast it is at each.
func (s *scene) gainer(panels []Panel) (most string, at []trial.Case, of []stat.Ratio) {
	where, gains, equal := map[string][]trial.Case{}, map[string][]stat.Ratio{}, s.equals()
	for i := range panels {
		own, best := panels[i].Best(s.leader.Kernel), Fastest(panels[i].Rows)
		if own != nil && !slices.Contains(equal, best.Kernel) && Tells(best, own) {
			gains[best.Kernel] = append(gains[best.Kernel], Ratio(own, best))
			where[best.Kernel] = append(where[best.Kernel], panels[i].Case)
		}
	}
	gain := func(name string) float64 {
		return float64(len(where[name])) * math.Log(stat.MeanRatio(gains[name]).Value)
	}
	maps.DeleteFunc(gains, func(_ string, list []stat.Ratio) bool { return tied(stat.MeanRatio(list)) })
	names := slices.SortedFunc(maps.Keys(gains), func(a, b string) int {
		return cmp.Or(cmp.Compare(gain(b), gain(a)), compareKernels(a, b))
	})
	if len(names) == 0 {
		return "", nil, nil
	}
	return names[0], where[names[0]], gains[names[0]]
}

// tied reports whether a ratio may be 1 in another run.
func tied(r stat.Ratio) bool { return r.Low <= 1 && r.High >= 1 }
