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
