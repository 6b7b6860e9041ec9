package kernels

import (
	"regexp"
	"slices"
	"testing"
)

// A key that no paper has leaves a reader with nothing to look up.
func TestCitationsAreResolved(t *testing.T) {
	key := regexp.MustCompile(`\b(?:coo|csr)-[a-z-]+[a-z]`)
	known := func(k string) bool { return slices.ContainsFunc(Papers, func(p Paper) bool { return p.Key == k }) }
	cited := map[string]bool{}
	for _, k := range Catalogue {
		for _, name := range key.FindAllString(k.Source, -1) {
			cited[name] = true
			if !known(name) || len(Cited(k.Source)) == 0 {
				t.Errorf("%s cites %s, which is not among the papers", k.Name, name)
			}
		}
	}

	if len(cited) < 4 {
		t.Errorf("only %d keys are cited: the test proves little", len(cited))
	}
	for i, p := range Papers {
		if p.Title == "" || p.Where == "" || p.Year < 2000 ||
			slices.ContainsFunc(Papers[:i], func(q Paper) bool { return q.Key == p.Key }) {
			t.Errorf("paper %+v", p)
		}
	}
}
