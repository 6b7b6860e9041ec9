package canvas

import (
	"strings"
	"testing"
)

// A name that would turn the direction of text is drawn with the sign made visible, on the page and in files.
func TestNothingTurnsText(t *testing.T) {
	p := named("a\u202eb", 400)
	web, _ := p.Web(&WebStyles{})
	file, err := p.Encode("svg")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{web, string(file)} {
		if strings.Contains(s, "\u202e") || !strings.Contains(s, `a\u202eb`) {
			t.Error("a sign that turns text is in a picture as it is")
		}
	}
}
