// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"regexp"
	"slices"
	"unicode/utf8"

	"example.org/spmvtune/internal/base/files"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/trial"
)

// WriteJSON writes r in the form that Read reads. Equal rules give equal bytes.
func (r *Rule) WriteJSON(w io.Writer) error {
	if err := term.WriteJSON(w, r); err != nil {
		return fmt.Errorf("writing rule: %w", err)
	}
	return nil
}

// Read reads what WriteJSON wrote. It refuses other versions, unknown keys and
// features, anything after the rule, and trees that can't be followed.
func Read(rd io.Reader) (*Rule, error) {
	data, err := io.ReadAll(rd)
	if err == nil {
		var r *Rule
		if r, err = parse(data); err == nil {
			return r, nil
		}
	}
	return nil, fmt.Errorf("reading rule: %w", err)
}

func parse(data []byte) (*Rule, error) {
	var head struct {
		Version *int `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, err
	}
	switch {
	case head.Version == nil:
		return nil, errors.New("it has no version: is it a rule?")
	case *head.Version != Version:
		return nil, fmt.Errorf("its format has version %d, this program reads version %d: learn it again", *head.Version,
			Version)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	r := new(Rule)
	if err := d.Decode(r); err != nil {
		return nil, err
	}
	return r, r.check()
}

// mostBytes are the most that the file of a rule has: five times the H200's.
const mostBytes = 16e6

// Open reads a rule: the file of this name, or an embedded rule by its name. It also returns
// a description of where the rule is from.
func Open(name string) (r *Rule, from string, err error) {
	if r, from, err = OpenKnown(name); err == nil && len(r.Models) == 0 {
		err = fmt.Errorf("%s has no rule: it only says what single matrices were measured to be fastest with", name)
	}
	return r, from, err
}

// OpenKnown is Open for those who also take a file that knows single matrices, and has no rule for others.
func OpenKnown(name string) (r *Rule, from string, err error) {
	text, ours := embedded[name]
	if !ours {
		if text, err = files.ReadFile(name, mostBytes); err != nil {
			return nil, "", err
		}
	}
	if r, err = Read(bytes.NewReader(text)); err != nil {
		return nil, "", fmt.Errorf("%s: %w", name, err)
	}
	if ours {
		name = "the one that comes with spmvtune, learned from " + r.Sweep
	}
	return r, name, nil
}

// h100 was learned from a database of an earlier configs/corpus.toml, without an ensemble.
//
//go:embed h100.json
var h100 []byte

// h200 was learned from configs/corpus.toml, real matrices and those of the folder strangers, by
// `spmvtune learn rule/h200-data.json.gz rule/h200-strangers.json.gz -o rule/h200.json`.
//
//go:embed h200.json
var h200 []byte

// Kept has the files of observations that h200 was learned from, see ReadTraining.
//
//go:embed h200-data.json.gz h200-strangers.json.gz
var Kept embed.FS

// EmbeddedName is the name of the rule with the newest data. It is taken where no other one is known to be
// nearer to a device, and where an ensemble is asked for.
const EmbeddedName = "h200"

// embedded are the rules that come with the program, by name: search.Rules has the same ones.
var embedded = map[string][]byte{"h100": h100, EmbeddedName: h200}

// NameFor is the name of the embedded rule for a device: the one that was learned on that model, or else the newest.
func NameFor(device string) string {
	for _, name := range EmbeddedNames() {
		if regexp.MustCompile(`(?i)\b` + name + `\b`).MatchString(device) {
			return name
		}
	}
	return EmbeddedName
}

// IsEmbedded reports whether a rule of this name comes with the program.
func IsEmbedded(name string) bool { return embedded[name] != nil }

// EmbeddedNames are the names of the rules that come with the program.
func EmbeddedNames() []string { return slices.Sorted(maps.Keys(embedded)) }

// check refuses a rule that can't be followed, or written in other languages: a file may be
// damaged, or written by hand.
func (r *Rule) check() error {
	if len(r.Models)+len(r.Known) == 0 {
		return errors.New("it has no tree")
	}
	for _, k := range r.Known {
		if err := cmp.Or(checkChoice(k.Choice, k.Choice.Precision), checkNames([]string{k.Matrix, k.Device})); err != nil {
			return fmt.Errorf("what is known of a matrix: %w", err)
		}
	}
	seen := make(map[Key]bool)
	for i := range r.Models {
		s := &r.Models[i]
		if seen[s.Key] {
			return fmt.Errorf("two trees for %s", s.Key)
		}
		seen[s.Key] = true
		if err := s.check(); err != nil {
			return fmt.Errorf("tree %d: %w", i+1, err)
		}
	}
	return nil
}

func (s *Model) check() error {
	p := s.Precision
	switch {
	case p != kernels.Float32 && p != kernels.Float64:
		return fmt.Errorf("precision %q is neither float32 nor float64", p)
	case s.Cache != "" && s.Cache != trial.Warm && s.Cache != trial.Cold:
		return fmt.Errorf("cache state %q is neither warm nor cold", s.Cache)
	}

	for _, of := range s.Validation.Spreads {
		if !(of.Deviation > 0) || checkNames([]string{of.Kernel}) != nil {
			return fmt.Errorf("times of %.40q deviate by %v", of.Kernel, of.Deviation)
		}
	}
	names := []string{s.Device, s.SingleKernel, s.Single.Kernel, s.Validation.WorstMatrix, s.Test.WorstMatrix}
	for _, c := range slices.Concat(s.Validation.Cases, s.Test.Cases) {
		names = append(names, c.Matrix, c.Class, c.Choice.Kernel)
		for _, selector := range Selectors {
			if x := selector.Of(c); x < 0 || x > 1 {
				return fmt.Errorf("%s is at %v of the oracle on matrix %q", selector.Name, x, c.Matrix)
			}
		}
	}
	err := cmp.Or(checkNames(names), s.Root.check(p, len(features), 0))
	if err == nil && s.Sizes != nil {
		err = s.Sizes.check(p, free, 0)
	}
	if err == nil && s.Ensemble != nil {
		err = s.Ensemble.check(p)
	}
	return err
}

// checkNames refuses names that no database has: they would fill terminals, and generated code.
func checkNames(names []string) error {
	for _, name := range names {
		if utf8.RuneCountInString(name) > trial.LongestStored {
			return fmt.Errorf("the name %.40q… has more than %d characters", name, trial.LongestStored)
		}
	}
	return nil
}

// check refuses a tree that can't be followed, or asks for more than the first features.
func (n *Node) check(p kernels.Precision, first, depth int) error {
	switch {
	case n == nil:
		return errors.New("a node is missing")
	case depth > maxDepth:
		return fmt.Errorf("more than %d splits on a path", maxDepth)
	case n.Choice != nil:
		return n.checkLeaf(p)
	}

	switch i, known := places[n.Feature]; {
	case !known:
		return fmt.Errorf("unknown feature %q", n.Feature)
	case i >= first:
		return fmt.Errorf("it tests %s, which does not follow from sizes", n.Feature)
	}
	return cmp.Or(n.Below.check(p, first, depth+1), n.Above.check(p, first, depth+1))
}

func (n *Node) checkLeaf(p kernels.Precision) error {
	if n.Feature != "" || n.Below != nil || n.Above != nil {
		return errors.New("a node is both a split and a leaf")
	}
	for _, c := range n.all() {
		if err := checkChoice(c, p); err != nil {
			return fmt.Errorf("a leaf chooses %w", err)
		}
	}

	for i, s := range n.Speeds {
		if s.Bytes <= 0 || s.GBPS <= 0 || i > 0 && s.Bytes < n.Speeds[i-1].Bytes {
			return fmt.Errorf("speed %d of %s is %v bytes at %v GB/s: both are above 0, and bytes rise", i+1, n.Choice,
				s.Bytes, s.GBPS)
		}
	}
	if len(n.NextTimes) > 0 && len(n.NextTimes) != len(n.Next) {
		return fmt.Errorf("%d times for %d runners-up of %s", len(n.NextTimes), len(n.Next), n.Choice)
	}
	for _, x := range n.NextTimes {
		if x < 0 {
			return fmt.Errorf("a runner-up of %s takes %v of its time", n.Choice, x)
		}
	}
	return checkNames(n.Matrices)
}

func checkChoice(c kernels.Config, p kernels.Precision) error {
	switch {
	case c.Kernel == "" || c.Precision != p:
		return fmt.Errorf("%q, not a kernel in %s", c, p)
	case c.Block < 0 || c.Block > math.MaxInt32 || c.Grid < 0 || c.Grid > math.MaxInt32:
		return fmt.Errorf("%s with block %d and grid %d", c.Kernel, c.Block, c.Grid)
	}
	return checkNames([]string{c.Kernel})
}

// check refuses an ensemble that can't be followed.
func (e *Ensemble) check(p kernels.Precision) error {
	if n := len(e.Configs); n == 0 || len(e.Base) != n || len(e.Times) != 0 && len(e.Times) != n {
		return fmt.Errorf("%d numbers for %d configurations, and %d times", len(e.Base), n, len(e.Times))
	}
	for _, c := range e.Configs {
		if err := checkChoice(c, p); err != nil {
			return fmt.Errorf("it chooses %w", err)
		}
	}
	names := slices.Clone(e.Features)
	for _, t := range slices.Concat(e.Times...) {
		names = append(names, t.Features...)
	}

	if n := len(e.Features); n == 0 || len(e.Low) != n || len(e.High) != n {
		return fmt.Errorf("%d and %d bounds of %d features", len(e.Low), len(e.High), n)
	}
	for _, name := range names {
		if _, known := places[name]; !known {
			return fmt.Errorf("unknown feature %q", name)
		}
	}

	for i := range e.Trees {
		if err := e.Trees[i].check(len(e.Configs), len(e.Features)); err != nil {
			return err
		}
	}
	return nil
}
