package page

import (
	"errors"
	"strings"
	"testing"

	"spmvtune/plots/canvas"
	"spmvtune/plots/data"
)

// Whatever a sweep or a message is called, it turns no text of the page.
func TestNothingTurnsText(t *testing.T) {
	const turn = "\u202e"
	var b strings.Builder
	c := Content{Report: data.New(nil, nil, nil, nil), Title: "a" + turn + "b", Warnings: []error{errors.New("x" + turn)}}
	if err := c.Write(&b); err != nil {
		t.Fatal(err)
	}
	if s := b.String(); strings.Contains(s, turn) || !strings.Contains(s, `<h1>a\u202eb</h1>`) || !strings.Contains(s, `X\u202e`) {
		t.Error("signs that turn text are in the page as they are")
	}
	texts := book{}
	if texts.tips([]canvas.Tip{{Text: turn}}); texts.texts.String() != `\u202e`+"\n" {
		t.Errorf("a mark says %q", &texts.texts)
	}
}
