package canvas

import (
	"testing"
)

func TestSlug(t *testing.T) {
	for in, want := range map[string]string{
		"Intel Xeon @ 2.10GHz": "intel-xeon-2.10ghz", "../../etc/passwd": "etc-passwd", "": "", "a__b": "a-b",
		".hidden.": "hidden", "a.b..c": "a.b.-c",
	} {
		if got := Slug(in); got != want {
			t.Errorf("slug(%q) = %q, want %q", in, got, want)
		}
	}
}
