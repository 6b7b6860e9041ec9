// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/kernels"
)

// A Transfer says how a rule does on matrices that taught it nothing, of another device or database.
type Transfer struct {
	Key
	From string `json:"learned_on"` // device
	// Taught is how many matrices of the database were left out, because the rule was learned from them.
	Taught int    `json:"taught"`
	Cases  []Case `json:"cases"`
}

// EvaluateOn asks a rule about the matrices of other observations.
func (r *Rule) EvaluateOn(obs []Observation) ([]Transfer, error) {
	var list []Transfer
	keys, groups := group(charged(obs, r.Products))
	for _, k := range keys {
		s := r.elsewhere(k)
		if s == nil {
			continue
		}
		t, _, err := newTable(groups[k])
		if err != nil {
			return nil, fmt.Errorf("evaluating a rule on %s: %w", k, err)
		}
		var named []int // of those that s may choose, or that stand for them in the table
		for _, c := range s.Named() {
			if at, ok := t.place(c); ok {
				named = append(named, at)
			}
		}
		tr := Transfer{Key: k, From: s.Device}
		for m, name := range t.names {
			if s.taughtBy(name, t.facts[m].Nonzeros) {
				tr.Taught++
				continue
			}
			c := t.ask(m, s)
			for _, at := range named {
				c.Named = max(c.Named, share(t.loss[m][at]))
			}
			tr.Cases = append(tr.Cases, c)
		}
		t.fix(tr.Cases)
		if len(tr.Cases) > 0 {
			list = append(list, tr)
		}
	}

	if len(list) == 0 {
		return nil, fmt.Errorf("evaluating a rule: %w: it serves none of the devices, precisions and cache states, "+
			"or was learned from all of these matrices", ErrNoData)
	}
	return list, nil
}

// elsewhere is the model that serves a key of another device; nil: there is none.
func (r *Rule) elsewhere(k Key) *Model {
	for _, k := range []Key{k, {Precision: k.Precision, Cache: k.Cache}, {Precision: k.Precision}} {
		if s, err := r.Find(k); err == nil {
			return s
		}
	}
	return nil
}

// place is the number of a configuration of the table, or of the nearest one of its kernel.
func (t *table) place(c kernels.Config) (int, bool) {
	if i, ok := t.column[idOf(c)]; ok {
		return i, true
	}
	near := nearest(c, t.configs, nil)
	if near == nil {
		return 0, false
	}
	return near[0], true
}

// taughtBy reports whether s was learned from a matrix of this name, and not from another one with other nonzeros.
func (s *Model) taughtBy(name string, nonzeros int) bool {
	other := func(c Case) bool { return c.Matrix == name && c.Nonzeros > 0 && c.Nonzeros != nonzeros }
	return !slices.ContainsFunc(s.Validation.Cases, other) && slices.ContainsFunc(s.Root.Leaves(), func(n *Node) bool { return slices.Contains(n.Matrices, name) })
}

// Named are all configurations that s may choose.
func (s *Model) Named() []kernels.Config {
	list := slices.Concat(lists.Of(append(s.Root.Leaves(), s.Sizes.Leaves()...), (*Node).all)...)
	if s.Ensemble != nil {
		list = append(list, s.Ensemble.Configs...)
	}
	return list
}

// WriteTransfers writes them as tables in Markdown. Matrices of no class but their own, if others have one, are
// judged once more: a generator may have made relatives of the others for what taught the rule.
func WriteTransfers(w io.Writer, list []Transfer) error {
	var b bytes.Buffer
	for _, tr := range list {
		title := fmt.Sprintf("%s, learned on %s", tr.Key, tr.From)
		comparison(&b, title, tr.Cases, transferred)
		bySize(&b, "The same by size", tr.Cases)
		comparison(&b, title+": matrices of no class but their own", alone(tr.Cases), transferred)
	}
	_, err := w.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
	return err
}

// transferred are the selectors that are known where a rule was not learned.
var transferred = []Selector{Learned, LearnedTop3, ByTree, ByTreeTop3, BestNamed, FixedConfig, CuSPARSE}
