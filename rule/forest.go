package rule

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
)

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
	if _, err := z.Write([]byte{boostDepth}); err != nil {
		return nil, err
	}
	for i := range f {
		if err := f[i].write(z); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return json.Marshal(base64.StdEncoding.EncodeToString(b.Bytes()))
}

func (b *Boost) write(w io.Writer) error {
	for _, part := range []any{uint8(len(b.Add[0])), b.Feature, b.Threshold, b.Scale} {
		if err := binary.Write(w, binary.LittleEndian, part); err != nil {
			return err
		}
	}
	for _, add := range b.Add {
		if err := binary.Write(w, binary.LittleEndian, add); err != nil {
			return err
		}
	}
	return nil
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
		var b Boost
		if err := b.read(r); err != nil {
			return fmt.Errorf("trees of an ensemble: %w", err)
		}
		*f = append(*f, b)
	}
	return nil
}

func (b *Boost) read(r io.Reader) error {
	var configs uint8
	for _, part := range []any{&configs, &b.Feature, &b.Threshold, &b.Scale} {
		if err := binary.Read(r, binary.LittleEndian, part); err != nil {
			return err
		}
	}
	for i := range b.Add {
		b.Add[i] = make([]int8, configs)
		if err := binary.Read(r, binary.LittleEndian, b.Add[i]); err != nil {
			return err
		}
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
