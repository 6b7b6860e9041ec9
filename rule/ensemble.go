// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/kernels"
)

// An Ensemble predicts what each of a few configurations loses against the oracle, the share of
// its speed and a part of the logarithm, as a sum of small trees, and chooses the least. The trees are grown one after
// the other on what the sum so far gets wrong (gradient boosting: J. Friedman, Greedy function
// approximation: a gradient boosting machine, Annals of Statistics 29(5), 2001), with squared
// error over all configurations at once, so that a leaf holds a number for each. Two such
// sums, each with other features for its splits, are averaged (L. Breiman, Bagging predictors,
// Machine Learning 24, 1996). They start from what Times say, a model of what takes how long.
//
// Note: the trees of a rule minimise logarithms. Squared ones would depend only on hopeless
// configurations, twenty or a thousand times slower; a share is at most 1. The part of the
// logarithm keeps the ensemble from what now and then is such a one.
//
// Nobody can read it: the tree beside it explains. What lies far beyond all that it was taught it does not know, and says
// so: the robust choice of the tree is for that.
type Ensemble struct {
	Configs []kernels.Config `json:"configs"`
	Base    []float64        `json:"base"` // mean of what each loses beyond what Times say
	// Times are what a product with each of them takes, about, in seconds: none, or one for each of Configs.
	Times    []kernels.Sum `json:"times,omitempty"`
	Features []string      `json:"features"` // names of those that its trees split on
	// Low and High are the smallest and the largest value of each of Features on the matrices that
	// it was taught by.
	Low   []float64 `json:"low"`
	High  []float64 `json:"high"`
	Trees forest    `json:"trees"`
}

// values are those of the features that the trees split on.
func (e *Ensemble) values(f *Subject) []float64 {
	return lists.Of(e.Features, f.value) // which are known: Read checks it
}

// lost predicts what each configuration loses.
func (e *Ensemble) lost(f *Subject) []float64 {
	sum, v := slices.Clone(e.Base), e.values(f)
	for i, x := range slower(e.Times, f) {
		sum[i] += x
	}
	for i := range e.Trees {
		b := &e.Trees[i]
		for c, x := range b.leaf(v) {
			sum[c] += float64(x) * float64(b.Scale)
		}
	}
	return sum
}

// far is the factor, beyond that where guards of trees begin, from which on an ensemble does not know a matrix.
// Nearer by
// it chose better than the trees do, on each of the families left out that were there, up to eight times beyond.
const far = 10

// Bounds are what the features of a matrix have to lie between for the ensemble to know it. They are finite.
func (e *Ensemble) Bounds() (low, high []float64) {
	for i := range e.Features {
		low, high = append(low, e.Low[i]/(far*beyond)), append(high, min(e.High[i]*far*guardBeyond, math.MaxFloat64))
	}
	return low, high
}

// unsure says why the ensemble knows nothing of a matrix; "": it does.
func (e *Ensemble) unsure(f *Subject) string {
	low, high := e.Bounds()
	for i, v := range e.values(f) {
		name, taught := e.Features[i], ""
		switch {
		case math.IsNaN(v) || math.IsInf(v, 0):
			return name + " is not known of the matrix"
		case v > high[i]:
			taught = number(rounded(e.High[i])) + " at most"
		case v < low[i]:
			taught = number(rounded(e.Low[i])) + " at least"
		default:
			continue
		}
		return fmt.Sprintf("%s is %s, and %s on what it was learned from", name, number(rounded(v)), taught)
	}
	for _, t := range slices.Concat(e.Times...) {
		for _, name := range t.Features {
			if v := f.value(name); math.IsNaN(v) || math.IsInf(v, 0) {
				return name + " is not known of the matrix"
			}
		}
	}
	return ""
}

// rank orders the configurations that are legal by their predicted losses, which it also returns: the first few, 0 for
// all of them, since to ask takes time. If none is legal, they all are.
func (e *Ensemble) rank(f *Subject, few int) (order []int, lost []float64) {
	lost = e.lost(f)
	all := lists.Indices(len(lost))
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(lost[a], lost[b]) })
	for _, i := range all {
		if f.takes(e.Configs[i]) {
			order = append(order, i)
		}
		if few > 0 && len(order) == few {
			break
		}
	}
	if order == nil {
		order = all
	}
	return order, lost
}

// withTree puts the choice of a tree behind the first two of an ensemble's list, if it is neither: what an ensemble
// does not see, a tree may.
//
// Note: a list that begins with distinct kernels was no better, on families left out and on large matrices apart.
func withTree(list []kernels.Config, choice kernels.Config) []kernels.Config {
	at := min(Shortlisted-1, len(list))
	if slices.Contains(list[:at], choice) {
		return list
	}
	rest := slices.DeleteFunc(slices.Clone(list[at:]), func(c kernels.Config) bool { return c == choice })
	return slices.Concat(list[:at], []kernels.Config{choice}, rest)
}

// named lists configurations by their numbers.
func (e *Ensemble) named(order []int) []kernels.Config {
	return lists.Of(order, func(i int) kernels.Config { return e.Configs[i] })
}

const (
	boostDepth  = 4
	boostSplits = 1<<boostDepth - 1
	boostLeaves = 1 << boostDepth
)

// A Boost is a tree of an ensemble: a full one, so that it is a few tables in any language. Below
// split i are 2i+1, for values that do not exceed the threshold, and 2i+2. One that splits
// nothing has the largest threshold.
type Boost struct {
	Feature   [boostSplits]uint8 // among Ensemble.Features
	Threshold [boostSplits]float32
	Add       [boostLeaves][]int8 // to what each configuration loses, in units of Scale
	Scale     float32
}

// leaf gives the terms for values of the features.
func (b *Boost) leaf(values []float64) []int8 {
	i := 0
	for i < boostSplits {
		if values[b.Feature[i]] <= float64(b.Threshold[i]) {
			i = 2*i + 1
		} else {
			i = 2*i + 2
		}
	}
	return b.Add[i-boostSplits]
}

// parts are the tables of a tree, but for how many configurations there are.
func (b *Boost) parts() []any {
	list := []any{&b.Feature, &b.Threshold, &b.Scale}
	for _, add := range b.Add {
		list = append(list, add)
	}
	return list
}

// A forest is the trees of an ensemble. In JSON it is their depth, a byte, and the tables one after the other,
// little-endian, compressed by DEFLATE, in base64.
type forest []Boost

const older = "a rule of an older version has to be learned again"

// mostForest is the most bytes that a forest takes before it is compressed.
const mostForest = 16 << 20

func (f forest) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	z, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		return nil, err
	}
	parts := []any{uint8(boostDepth)}
	for i := range f {
		parts = append(append(parts, uint8(len(f[i].Add[0]))), f[i].parts()...)
	}
	for _, part := range parts {
		err = cmp.Or(err, binary.Write(z, binary.LittleEndian, part))
	}
	if err = cmp.Or(err, z.Close()); err != nil {
		return nil, err
	}
	return json.Marshal(base64.StdEncoding.EncodeToString(b.Bytes()))
}

func (f *forest) UnmarshalJSON(text []byte) error {
	var packed []byte
	if err := json.Unmarshal(text, &packed); err != nil {
		return fmt.Errorf("trees of an ensemble: %w: %s", err, older)
	}
	data, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), mostForest+1))
	if err == nil && len(data) > mostForest {
		err = errors.New("too large")
	}
	if err != nil {
		return fmt.Errorf("trees of an ensemble: %w", err)
	}

	*f = nil
	r := bytes.NewReader(data)
	if depth, err := r.ReadByte(); err != nil || depth != boostDepth {
		return fmt.Errorf("trees of an ensemble: their depth is %d, that of this program's is %d: %s", depth,
			boostDepth, older)
	}
	for r.Len() > 0 {
		configs, err := r.ReadByte()
		var b Boost
		for i := range b.Add {
			b.Add[i] = make([]int8, configs)
		}
		for _, part := range b.parts() {
			if err == nil {
				err = binary.Read(r, binary.LittleEndian, part)
			}
		}
		if err != nil {
			return fmt.Errorf("trees of an ensemble: %w", err)
		}
		*f = append(*f, b)
	}
	return nil
}

// check refuses a tree that can't be followed.
func (b *Boost) check(configs, features int) error {
	for i := range b.Feature {
		switch at := float64(b.Threshold[i]); {
		case int(b.Feature[i]) >= features:
			return fmt.Errorf("a tree splits on feature %d of %d", b.Feature[i]+1, features)
		case math.IsNaN(at) || math.IsInf(at, 0):
			return fmt.Errorf("a tree splits at %v", at)
		}
	}
	if scale := float64(b.Scale); !(scale >= 0) || math.IsInf(scale, 1) || len(b.Add[0]) != configs {
		return fmt.Errorf("a tree adds %d numbers of %v for %d configurations", len(b.Add[0]), scale, configs)
	}
	return nil
}
