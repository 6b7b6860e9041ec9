package page

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"spmvtune/analysis"
	"spmvtune/plots/canvas"
	"spmvtune/store"
)

// Whatever a sweep or a message is called, it turns no text of the page.
func TestNothingTurnsText(t *testing.T) {
	const turn = "\u202e"
	var b strings.Builder
	c := Content{Report: analysis.New(nil, nil, nil, nil), Title: "a" + turn + "b", Warnings: []error{errors.New("x" + turn)}}
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

// Two sweeps of one name are told apart, others have their name alone.
func TestSweepsOfOneNameAreToldApart(t *testing.T) {
	at := time.Date(2026, 11, 23, 9, 5, 0, 0, time.UTC)
	d := analysis.New(nil, nil, nil, nil)
	d.Sweeps = []store.Sweep{{Name: "a", Hash: "0123456789", Started: at}, {Name: "a", Hash: "abcdefabcdef", Started: at},
		{Name: "b", Hash: "b"}}
	var names []string
	for _, s := range described(d) {
		names = append(names, s.Name)
	}
	want := []string{"a of 2026-11-23 09:05 UTC (digest 01234567)", "a of 2026-11-23 09:05 UTC (digest abcdefab)", "b"}
	if !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}
