package rule

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"spmvtune/kernels"
)

// WriteJSON writes r in the form that Read reads. Equal rules give equal bytes.
func (r *Rule) WriteJSON(w io.Writer) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(r); err != nil {
		return fmt.Errorf("encoding rule: %w", err)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing rule: %w", err)
	}
	return nil
}

// Read reads what WriteJSON wrote. It refuses other versions, unknown keys and
// features, anything after the rule, and trees that can't be followed.
func Read(rd io.Reader) (*Rule, error) {
	data, err := io.ReadAll(rd)
	if err != nil {
		return nil, fmt.Errorf("reading rule: %w", err)
	}
	var head struct {
		Version *int `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("reading rule: %w", err)
	}
	switch {
	case head.Version == nil:
		return nil, errors.New("reading rule: no version; not a rule?")
	case *head.Version != Version:
		return nil, fmt.Errorf("reading rule: its format has version %d, this program reads version %d: learn it again",
			*head.Version, Version)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var r Rule
	if err := d.Decode(&r); err != nil {
		return nil, fmt.Errorf("reading rule: %w", err)
	}
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("reading rule: %w", err)
	}
	return &r, nil
}

func (r *Rule) check() error {
	if len(r.Selectors) == 0 {
		return errors.New("it holds no tree")
	}
	seen := make(map[Key]bool)
	for i := range r.Selectors {
		s := &r.Selectors[i]
		k := s.Key()
		switch {
		case k.Precision != kernels.Float32 && k.Precision != kernels.Float64:
			return fmt.Errorf("tree %d: precision %q is neither float32 nor float64", i+1, k.Precision)
		case seen[k]:
			return fmt.Errorf("two trees for %s", k)
		}
		seen[k] = true
		if err := s.Root.check(k.Precision, 0); err != nil {
			return fmt.Errorf("tree for %s: %w", k, err)
		}
		if s.Sizes != nil {
			if err := s.Sizes.check(k.Precision, 0); err != nil {
				return fmt.Errorf("tree over sizes for %s: %w", k, err)
			}
		}
		if s.Ensemble != nil {
			if err := s.Ensemble.check(k.Precision); err != nil {
				return fmt.Errorf("ensemble for %s: %w", k, err)
			}
		}
	}
	return nil
}

func (n *Node) check(p kernels.Precision, depth int) error {
	switch {
	case n == nil:
		return errors.New("a node is missing")
	case depth > maxDepth:
		return fmt.Errorf("more than %d splits on a path", maxDepth)
	case n.Leaf():
		if n.Feature != "" || n.Below != nil || n.Above != nil {
			return errors.New("a node is both a split and a leaf")
		}
		if n.Choice.Kernel == "" || n.Choice.Precision != p {
			return fmt.Errorf("a leaf chooses %q, not a kernel in %s", n.Choice, p)
		}
		return nil
	}
	if _, ok := lookup(n.Feature); !ok {
		return fmt.Errorf("unknown feature %q", n.Feature)
	}
	if math.IsNaN(n.Threshold) || math.IsInf(n.Threshold, 0) {
		return fmt.Errorf("threshold of %s is %v", n.Feature, n.Threshold)
	}
	if err := n.Below.check(p, depth+1); err != nil {
		return err
	}
	return n.Above.check(p, depth+1)
}

// check refuses an ensemble that can't be followed.
func (e *Ensemble) check(p kernels.Precision) error {
	if len(e.Configs) == 0 || len(e.Base) != len(e.Configs) {
		return fmt.Errorf("%d numbers for %d configurations", len(e.Base), len(e.Configs))
	}
	for _, c := range e.Configs {
		if c.Kernel == "" || c.Precision != p {
			return fmt.Errorf("it chooses %q, not a kernel in %s", c, p)
		}
	}
	for _, b := range e.Trees {
		if err := b.check(len(e.Configs), 0); err != nil {
			return err
		}
	}
	return nil
}

func (b *Boost) check(configs, depth int) error {
	switch {
	case b == nil:
		return errors.New("a node is missing")
	case depth > maxDepth:
		return fmt.Errorf("more than %d splits on a path", maxDepth)
	case b.Add != nil:
		if len(b.Add) != configs || b.Feature != "" || b.Below != nil || b.Above != nil {
			return errors.New("a node is neither a split nor a leaf")
		}
		return nil
	}
	if _, ok := lookup(b.Feature); !ok {
		return fmt.Errorf("unknown feature %q", b.Feature)
	}
	if err := b.Below.check(configs, depth+1); err != nil {
		return err
	}
	return b.Above.check(configs, depth+1)
}
