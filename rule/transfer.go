package rule

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"spmvtune/internal/base/term"
	"spmvtune/kernels"
)

// A Transfer says how a rule does where it was not learned: on matrices that taught it nothing, of
// another device or database, before and after a few of them have adapted it.
type Transfer struct {
	Key
	From    string `json:"learned_on"` // device
	Adapted int    `json:"adapted_by"` // number of matrices, drawn anew five times
	// Taught is how many matrices of the database were left out, because the rule was learned from them.
	Taught int `json:"taught"`
	// Cases are the matrices that did not adapt it, of all draws.
	Cases []Case `json:"cases"`
}

// adaptBy are the numbers of matrices that a rule is adapted by.
var adaptBy = []int{0, 5, 20}

// Judge asks a rule about the matrices of other observations.
func (r *Rule) Judge(obs []Observation, opt Options) ([]Transfer, error) {
	var list []Transfer
	keys, groups := group(charged(obs, r.Products))
	for _, k := range keys {
		s := r.elsewhere(k)
		if s == nil {
			continue
		}
		t, _, err := newTable(groups[k], opt)
		if err != nil {
			return nil, fmt.Errorf("judging a rule on %s: %w", k, err)
		}
		var strange []int
		for m, name := range t.names {
			if !s.taughtBy(name) {
				strange = append(strange, m)
			}
		}

		named := s.named(t)
		for _, by := range adaptBy {
			if len(strange) == 0 || by > 0 && len(strange) < 2*by {
				continue
			}
			tr := Transfer{Key: k, From: s.Device, Adapted: by, Taught: len(t.names) - len(strange)}
			for draw := range max(1, min(by, repetitions)) {
				rng := rand.New(rand.NewPCG(uint64(draw), uint64(by)))
				order := slices.Clone(strange)
				rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
				adapted := s.adapted(k, t, order[:by])
				for _, m := range order[by:] {
					c := adapted.judge(t, m)
					for _, at := range named {
						c.Named = max(c.Named, share(t.loss[m][at]))
					}
					tr.Cases = append(tr.Cases, c)
				}
			}
			list = append(list, tr)
		}
	}

	if len(list) == 0 {
		return nil, fmt.Errorf("judging a rule: %w: it serves none of the devices, precisions and cache states, "+
			"or was learned from all of these matrices", ErrNoData)
	}
	return list, nil
}

// taughtBy reports whether s was learned from a matrix of this name.
func (s *Selector) taughtBy(name string) bool {
	found := false
	s.Root.eachLeaf(func(n *Node) { found = found || slices.Contains(n.Matrices, name) })
	return found
}

// named are the numbers of all configurations that s may choose, or of those that stand for them in a table.
func (s *Selector) named(t *table) []int {
	var list []int
	add := func(c kernels.Config) {
		if at, ok := t.place(c); ok && !slices.Contains(list, at) {
			list = append(list, at)
		}
	}
	s.Root.eachLeaf(func(n *Node) {
		for i := range 1 + len(n.Next) {
			add(n.at(i))
		}
	})
	if s.Ensemble != nil {
		for _, c := range s.Ensemble.Configs {
			add(c)
		}
	}
	return list
}

// judge asks s about a matrix of a table that may lack what it chooses: then the nearest
// configuration of the kernel counts, or the next choice.
func (s *Selector) judge(t *table, m int) Case {
	on := &t.facts[m]
	reached := func(list []kernels.Config) (first, best float64) {
		n := 0
		for _, c := range list {
			at, ok := t.place(c)
			if !ok || n == Shortlisted {
				continue
			}
			if n++; n == 1 {
				first = share(t.loss[m][at])
			}
			best = max(best, share(t.loss[m][at]))
		}
		return first, best
	}

	leaf, _ := s.Root.walk(on)
	picks := leaf.picks(on)
	c := Case{Matrix: t.names[m], Class: t.classes[m], Choice: picks[0]}
	c.Fraction, c.Top3 = reached(picks)
	if e := s.Ensemble; e != nil {
		c.Unsure = e.unsure(on) != ""
		c.Ensemble, c.EnsembleTop3 = c.Fraction, c.Top3
		if !c.Unsure {
			c.Ensemble, c.EnsembleTop3 = reached(withTree(e.best(on), picks[0]))
		}
	}
	return c
}

// WriteTransfers writes them as tables in Markdown. Matrices of no class but their own, if others have one, are
// judged once more: a generator may have made relatives of the others for what taught the rule.
func WriteTransfers(w io.Writer, list []Transfer) error {
	var b bytes.Buffer
	for first := 0; first < len(list); {
		last := first
		for last < len(list) && list[last].Key == list[first].Key {
			last++
		}
		title := fmt.Sprintf("%s, learned on %s", list[first].Key, list[first].From)
		transferTable(&b, title, list[first:last], func(c []Case) []Case { return c })
		transferTable(&b, title+": matrices of no class but their own", list[first:last], alone)
		first = last
	}
	if _, err := w.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n"))); err != nil {
		return fmt.Errorf("writing how a rule does elsewhere: %w", err)
	}
	return nil
}

// transferTable writes how a rule does on some of the cases, if there are any.
func transferTable(b *bytes.Buffer, title string, list []Transfer, of func([]Case) []Case) {
	if len(of(list[0].Cases)) == 0 {
		return
	}
	head(b, title, "way to choose", "adapted by", "matrices", "geometric mean", "worst", "within 5%", "worst on")
	for _, tr := range list {
		for _, way := range []Way{Learned, LearnedTop3, Boosted, BoostedTop3, BestNamed} {
			if f := Summarise(of(tr.Cases), way.Of); f.Matrices > 0 {
				fmt.Fprintf(b, "| %s | %d | %d | %.3f | %.3f | %s | %s |\n", way.Name, tr.Adapted, f.Matrices, f.Mean,
					f.Worst, term.Percent(f.Within5), f.WorstMatrix)
			}
		}
	}
	b.WriteByte('\n')
}
