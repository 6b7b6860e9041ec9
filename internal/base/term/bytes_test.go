package term

import "testing"

// A size is read as Bytes prints it, and in the other units.
func TestParseBytes(t *testing.T) {
	for text, want := range map[string]int64{"20GB": 20e9, "1.5 mb": 15e5, "7": 7, "7B": 7, "0": 0, "2TB": 2e12} {
		if got, err := ParseBytes(text); err != nil || got != want {
			t.Errorf("%s is %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "GB", "-1GB", "NaN", "1e30", "inf GB", "20 parsecs"} {
		if got, err := ParseBytes(text); err == nil {
			t.Errorf("%q is %d", text, got)
		}
	}
}
