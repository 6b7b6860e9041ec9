package rule

import (
	"bytes"
	"compress/gzip"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// What is kept teaches the same rule, and keeping it again gives the same.
func TestKeptTeachesTheSame(t *testing.T) {
	obs := messy(rand.New(rand.NewPCG(3, 9)), 30)
	for i := range obs {
		o := &obs[i]
		o.Seconds, o.Low, o.High, o.Source = digits(o.Seconds), digits(o.Low), digits(o.High), "abc"
		o.Hardware, o.Reading, o.Prepare = Hardware{Cache: 50 << 20, Warps: 100}, 0.25, 0.125
		o.Features.Diagonals = math.NaN()
	}
	var b bytes.Buffer
	if err := Keep(&b, obs, []string{"class1"}); err != nil {
		t.Fatal(err)
	}
	text := b.Bytes()
	again, test, err := ReadKept(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(test, []string{"class1"}) {
		t.Errorf("the test is %v", test)
	}
	opt := DefaultOptions
	opt.Ensemble, opt.Test = true, test
	var want, got bytes.Buffer
	if err := learn(t, obs, opt).WriteJSON(&want); err != nil {
		t.Fatal(err)
	}
	if err := learn(t, again, opt).WriteJSON(&got); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want.Bytes()) {
		t.Error("what was kept teaches another rule")
	}
	var c bytes.Buffer
	if err := Keep(&c, again, test); err != nil || !bytes.Equal(c.Bytes(), text) {
		t.Errorf("kept again it differs: %v", err)
	}
}

// What has no time, and what is far too large, is refused.
func TestReadKeptRefusesContent(t *testing.T) {
	packed := func(text string) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write([]byte(text)); err != nil || z.Close() != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	defer func(most int64) { mostKept = most }(mostKept)
	mostKept = 1e6
	trial := func(row string) string {
		return `{"version": 1, "sweeps": ["s"], "devices": [{"name": "d"}], "matrices": [{"name": "m"}], ` +
			`"configs": [{"kernel": "k", "precision": "float32"}], "trials": [` + row + `]}`
	}
	for text, want := range map[string]string{
		trial(`[0, 0, 0, 0, "warm", 0, null, 1, 2, 0]`): "trial 1: value 7 is null",
		trial(`[0, 0, 0, 0, "warm", 0, 1, null, 2, 0]`): "trial 1: value 8 is null",
		trial(`[0, 0, null, 0, "warm"]`):                "trial 1: value 3 is null",
		trial(`[0, 0, 1, 0, "warm"]`):                   "trial 1: value 3 is 1 of 1",
		trial(strings.Repeat(" ", 1e6)):                 "more than 1 MB unpacked",
	} {
		if _, _, err := ReadKept(strings.NewReader(packed(text))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: %v, want %s", text, err, want)
		}
	}
}

// A damaged file is an error that says where.
func TestReadKeptRefuses(t *testing.T) {
	var b bytes.Buffer
	if err := Keep(&b, messy(rand.New(rand.NewPCG(3, 9)), 2), nil); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "no gzip", b.String()[:b.Len()/2]} {
		if _, _, err := ReadKept(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), "kept observations") {
			t.Errorf("%d bytes: %v", len(text), err)
		}
	}
}
