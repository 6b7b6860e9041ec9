// SPDX-License-Identifier: Apache-2.0

package page

import (
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"image/color"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/testing/synthetic"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/plots/canvas"
	"example.org/spmvtune/plots/table"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/trial"
)

// Whatever a sweep or a message is called, it turns no text of the page.
func TestNothingTurnsText(t *testing.T) {
	const turn = "\u202e"
	var b strings.Builder
	c := Content{Report: analysis.New(nil, nil, nil, nil), Title: "a" + turn + "b", Warnings: []error{errors.New("x" + turn)}}
	testkit.Succeed(t, c.Write(&b))
	if s := b.String(); strings.Contains(s, turn) || !strings.Contains(s, `<h1>a\u202eb</h1>`) || !strings.Contains(s, `X\u202e`) {
		t.Error("signs that turn text are in the page as they are")
	}
	texts := book{}
	texts.tips([]canvas.Tip{{Text: turn}})
	testkit.Equal(t, texts.texts.String(), `\u202e`+"\n", "a mark")
}

// Two sweeps of one name are told apart, others have their name alone.
func TestSweepsOfOneNameAreToldApart(t *testing.T) {
	at := time.Date(2026, 11, 23, 9, 5, 0, 0, time.UTC)
	d := analysis.New(nil, nil, nil, nil)
	d.Sweeps = []store.Sweep{{Name: "a", Hash: "0123456789", Started: at}, {Name: "a", Hash: "abcdefabcdef", Started: at},
		{Name: "b", Hash: "b"}}
	names := lists.Of(described(d), func(s store.Sweep) string { return s.Name })
	want := []string{"a of 2026-11-23 09:05 UTC (digest 01234567)", "a of 2026-11-23 09:05 UTC (digest abcdefab)", "b"}
	testkit.EqualLists(t, names, want, "names")
}

func TestReachedTargetIsNoWarning(t *testing.T) {
	// Trials that more samples would not have helped count for nothing.
	d := synthetic.Coarse(map[trial.Stop]int{trial.StopBudget: 3, trial.StopTarget: 5, trial.StopSlow: 90,
		trial.StopClock: 20})
	testkit.Equal(t, len(d.Missed()), 0, "warnings, though 5 of 8 reached it")
	if f := aimFacts(d); f[0].Value != "5 of 8" || f[0].Bad {
		t.Errorf("facts %+v", f)
	}
	d.Sweeps = nil // the target is not known
	if f := aimFacts(d); len(f) != 1 || strings.Contains(f[0].Name, "NaN") ||
		strings.Contains(f[0].Name, term.Missing) {
		t.Errorf("facts %+v", f)
	}
}

// The navigation lists every figure, in the order of the page, and no figure is shown twice or lost.
func TestArrange(t *testing.T) {
	var doc document
	given := []string{"drift", "unheard-of", "throughput-vs-block", "roofline"}
	doc.arrange(lists.Of(given, func(id string) htmlFigure { return htmlFigure{ID: id} }))

	id := func(f htmlFigure) string { return f.ID }
	listed := lists.Of(doc.Listed, id)
	chapters := lists.Of(doc.Chapters, func(c chapter) []htmlFigure { return c.Figures })
	shown := lists.Of(slices.Concat(append(chapters, doc.Extra)...), id)
	want := []string{"roofline", "throughput-vs-block", "drift", "unheard-of"}
	testkit.EqualLists(t, listed, want, "listed")
	testkit.EqualLists(t, shown, want, "shown")
}

// The page lists so many kernels on matrices, and says how many more the file has.
func TestPreparationIsCut(t *testing.T) {
	d := synthetic.Gpu(40, 64).Report()
	whole := table.PreparationSheet(d)
	testkit.Require(t, len(whole.Tables) == 2 && len(whole.Tables[1].Rows) > mostFolded, "too few rows to cut")
	h := sheetOf(d, whole)
	if n := len(h.Details[0].Rows); n != mostFolded || h.Cut != len(whole.Tables[1].Rows)-mostFolded {
		t.Errorf("%d rows of %d and %d further ones, want %d", n, len(whole.Tables[1].Rows), h.Cut, mostFolded)
	}
	testkit.Equal(t, len(h.Tables[0].Rows), len(whole.Tables[0].Rows), "the summary is cut, too")
}

// TestStyleSheetFollowsTheme: the report recolours SVGs by name, so each colour
// of the theme needs its name in the light, the dark and the printed sheet.
func TestStyleSheetFollowsTheme(t *testing.T) {
	hex := func(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }
	check := func(name string, c color.RGBA) {
		t.Helper()
		testkit.Equal(t, strings.Count(Colours+reportCSS, "--"+name+": "), 3, "times that --%s is set", name)
		testkit.Equal(t, strings.Count(Colours+reportCSS, "--"+name+": "+hex(c)+";"), 2, "light sheets with %s for --%s", hex(c), name)
	}
	for name, c := range canvas.Greys {
		check(name, c)
	}
}

// What the page explores says of a trial what figures say of it, and has no interval where another run may find anything.
func TestExploredIntervals(t *testing.T) {
	known, unknown := synthetic.Timed("m", "csr_vector", "", 64, 1), synthetic.Timed("m", "csr_vector", "", 128, 2)
	unknown.Another = trial.Interval{}
	lines, _ := explored(analysis.New([]store.Row{known, unknown}, nil, nil, nil))
	z := testkit.Must(gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(lines))))
	var got []string
	for line := range strings.Lines(string(testkit.Must(io.ReadAll(z)))) {
		got = append(got, strings.Split(line, "\t")[6])
	}
	testkit.EqualLists(t, got[1:], []string{analysis.TimeWords(&known), analysis.TimeWords(&unknown)}, "times")
	testkit.Says(t, "a known one", got[1], " to ")
	testkit.Check(t, !strings.Contains(got[2], " to "), "an unknown one: %s", got[2])
}
