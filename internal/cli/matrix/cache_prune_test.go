package matrix

import (
	"testing"
	"time"
)

func TestPruneFlags(t *testing.T) {
	for text, want := range map[string]time.Duration{"30d": 720 * time.Hour, "1.5d": 36 * time.Hour,
		"12h": 12 * time.Hour, "0s": 0} {
		if got, err := parseAge(text); err != nil || got != want {
			t.Errorf("%s is %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "d", "-1d", "-1h", "NaNd", "1e9d", "30"} {
		if got, err := parseAge(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
	for text, want := range map[string]int64{"20GB": 20e9, "1.5 mb": 15e5, "7": 7, "7B": 7, "0": 0, "2TB": 2e12} {
		if got, err := parseBytes(text); err != nil || got != want {
			t.Errorf("%s is %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "GB", "-1GB", "NaN", "1e30", "inf GB", "20 parsecs"} {
		if got, err := parseBytes(text); err == nil {
			t.Errorf("%q is %d", text, got)
		}
	}
	for _, c := range []struct {
		flags cachePrune
		ok    bool
	}{
		{cachePrune{}, false}, {cachePrune{unused: "30d", all: true}, false},
		{cachePrune{all: true}, true}, {cachePrune{unused: "30d", size: "1GB"}, true},
	} {
		if _, err := c.flags.limits(); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
