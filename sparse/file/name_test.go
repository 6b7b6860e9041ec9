package file

import "testing"

func TestNames(t *testing.T) {
	for path, want := range map[string]struct {
		matters, stem string
		known         bool
	}{
		"a/B.mtx":    {".mtx", "B", true},
		"B.MTX.gz":   {".mtx", "B.MTX.gz", false},
		"B.x.mm.gz":  {".mm", "B.x", true},
		"b/B.tar.gz": {".tar", "B", true},
		"B.tgz":      {".tgz", "B", true},
		"B":          {"", "B", false},
		".mtx":       {".mtx", ".mtx", false},
	} {
		if got := NameThatMatters(path); got != want.matters {
			t.Errorf("of %s %q matters", path, got)
		}
		if stem, known := Stem(path); stem != want.stem || known != want.known {
			t.Errorf("the stem of %s is %q, %v", path, stem, known)
		}
	}
}
