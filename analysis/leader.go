// SPDX-License-Identifier: Apache-2.0

package analysis

import (
	"cmp"
	"math"
	"slices"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/tuner/stat"
	"example.org/spmvtune/tuner/trial"
)

// lead finds the leader: the rival than which no other one is faster in the geometric mean of the places of both. It
// shares places with all rivals: where no two kernels share one, none leads.
func (s *scene) lead() {
	list := s.contest.Contenders
	often := func(k Contender) bool { return 2*k.Tried > len(s.places) }
	all := !slices.ContainsFunc(list, often)
	for i := range list {
		if all || often(list[i]) {
			s.rivals = append(s.rivals, &list[i])
		}
	}
	s.few = true
	for _, k := range s.rivals {
		if s.ahead(k) && !s.apart {
			s.leader = k
			s.few = slices.ContainsFunc(s.rivals, func(o *Contender) bool { return s.shared(k, o) <= fewMatrices })
			s.specialist()
			return
		}
	}
}

// specialist finds the special one: it was measured at fewer places, on more than few matrices, and gains the most over
// the leader there.
func (s *scene) specialist() {
	most := 0.0
	for i := range s.contest.Contenders {
		k := &s.contest.Contenders[i]
		r, n := Over(k.Entries, s.leader.Entries)
		gain := float64(n) * math.Log(r.Value)
		if !slices.Contains(s.rivals, k) && s.shared(s.leader, k) > fewMatrices && !tied(r) && gain > most {
			s.special, s.gain, most = k, r, gain
		}
	}
}

// ahead reports whether a kernel is compared with all rivals, and behind no other.
func (s *scene) ahead(k *Contender) bool {
	return !slices.ContainsFunc(s.rivals, func(other *Contender) bool {
		r, n := Over(other.Entries, k.Entries)
		return n == 0 || r.Value > 1
	})
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
	for _, at := range s.won[kernel] {
		if len(s.tiedWith(kernel, at)) > 0 {
			places++
		}
	}
	return places
}

// tiedWith lists the kernels that can't be told from the one that won a place, by their means.
func (s *scene) tiedWith(won string, at trial.Case) (names []string) {
	i := slices.IndexFunc(s.places, func(p Panel) bool { return p.Case == at })
	for _, k := range s.contest.Contenders {
		if k.Kernel != won && k.Entries[i].Tied {
			names = append(names, k.Kernel)
		}
	}
	return names
}

// behind lists the rivals of the leader, the next of them first.
func (s *scene) behind() []*Contender {
	others := lists.Where(s.rivals, func(k *Contender) bool { return k != s.leader })
	slices.SortStableFunc(others, func(a, b *Contender) int { return cmp.Compare(s.lag(a).Value, s.lag(b).Value) })
	return others
}

// lag is how many times as fast as another kernel the leader is.
func (s *scene) lag(k *Contender) stat.Ratio {
	r, _ := Over(s.leader.Entries, k.Entries)
	return r
}

// equals lists the leader and the next of its rivals, as far as another run may turn the means of them around.
func (s *scene) equals() []string {
	names := []string{s.leader.Kernel}
	for _, k := range s.behind() {
		if !tied(s.lag(k)) {
			break
		}
		names = append(names, k.Kernel)
	}
	return names
}

// spread is how many times as fast as the last of equals the leader is.
func (s *scene) spread(equal []string) float64 { return s.lag(s.behind()[len(equal)-2]).Value }

// A loss is a matrix where another kernel is faster than the leader: which one is at its worst case, and how much.
type loss struct {
	at     []trial.Case
	kernel string
	gain   stat.Ratio
}

// losses lists them, the worst first, without those where the special kernel is the fastest.
func (s *scene) losses(panels []Panel) (list []loss) {
	for i := range panels {
		own, best := panels[i].Best(s.leader.Kernel), Fastest(panels[i].Rows)
		if own == nil || !Tells(best, own) || own.Time < near*best.Time || s.special != nil && s.special.Kernel == best.Kernel {
			continue
		}
		at := slices.IndexFunc(list, func(l loss) bool { return l.at[0].Matrix == panels[i].Matrix })
		if at < 0 {
			at, list = len(list), append(list, loss{})
		}
		l := &list[at]
		l.at = append(l.at, panels[i].Case)
		if r := Ratio(own, best); r.Value > l.gain.Value {
			l.kernel, l.gain = best.Kernel, r
		}
	}
	slices.SortStableFunc(list, func(a, b loss) int { return cmp.Compare(b.gain.Value, a.gain.Value) })
	return list
}

// tied reports whether a ratio may be 1 in another run.
func tied(r stat.Ratio) bool { return r.Low <= 1 && r.High >= 1 }

// AsFast says that something is so many times as fast as something else.
func AsFast(r stat.Ratio, as string) string {
	if tied(r) && r.Value < near {
		return "about as fast as " + as
	}
	text := factor(r) + " times as fast as " + as
	if tied(r) {
		text += " (within noise)"
	}
	return text
}
