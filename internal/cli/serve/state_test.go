// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/spmvtune/internal/cli/show"
	"example.org/spmvtune/internal/testing/testkit"
)

type shownState struct {
	State
	Figures, Drawing, Report string
}

// The page follows the run: what it says, what is best, and what came last.
func TestState(t *testing.T) {
	r := newRun(t)
	s := r.server(Options{Draw: nothing})
	look := func() shownState {
		s.watcher.pace = pace{}
		return decoded[shownState](t, get(s, "/api/state"))
	}
	if got := look(); got.Running || got.Progress != nil || got.All != 0 || got.Name != "demo" ||
		joined(got.Best.Rows) != "" {
		t.Errorf("at first: %+v", got)
	}
	r.says(show.LiveState{Sweep: "demo", Device: "Testcore 9000", Done: 2, Total: 9, Left: 70, At: time.Now()})
	r.record("one", "cpu_csr", 2)
	r.record("one", "cpu_coo", 1)
	r.record("two", "cpu_csr", 4)
	got := look()
	testkit.Check(t, got.Running && got.Progress.Total == 9 && got.All == 3 && got.Trials["ok"] == 3 &&
		strings.Join(got.Titles, "") == "demo: A title", "while it runs: %+v", got)
	want := "one float64 warm cpu_coo 2 1.000 ms 2.00 12.00|two float64 warm cpu_csr 3 4.00 ms 0.500 3.00" // ties are not decided
	testkit.Equal(t, joined(got.Best.Rows), want, "the best")
	rows := joined(got.Last.Rows)
	testkit.Check(t, len(got.Last.Rows) == 3 && strings.Index(rows, "4.00 ms") <= strings.Index(rows, "1.00 ms"),
		"the last, newest first: %q", rows)
	old := filepath.Join(filepath.Dir(r.path), "report.html")
	testkit.Succeed(t, os.WriteFile(old, []byte("<p>The report"), 0o666))
	r.says(show.LiveState{Sweep: "demo", Ended: show.EndedInterrupted, At: time.Now().Add(time.Hour)})
	if got := look(); got.Running || got.Progress.Ended != show.EndedInterrupted || got.Report != "" {
		t.Errorf("in the end, with the report of an earlier run: %+v", got)
	}
	r.says(show.LiveState{Sweep: "demo", Ended: show.EndedMeasured, At: time.Now().Add(-time.Hour)})
	testkit.Check(t, look().Report != "" && get(s, "/report/").Body.String() == "<p>The report", "the report is not shown")
}

// A run that was killed says nothing any more, whatever the clock of its machine showed.
func TestKilledRun(t *testing.T) {
	r := newRun(t)
	s := r.server(Options{Draw: nothing})
	running := func() bool { return decoded[shownState](t, get(s, "/api/state")).Running }
	r.says(show.LiveState{Done: 1, At: time.Now().Add(-time.Hour)})
	testkit.Check(t, !running(), "what it said an hour ago counts")
	r.says(show.LiveState{Done: 2, At: time.Now().Add(-time.Hour + time.Second)})
	testkit.Check(t, running(), "what it says now, by a clock that is late, does not count")
	s.watcher.heard = time.Now().Add(-2 * silent)
	testkit.Check(t, !running(), "it says nothing any more, and counts as running")
}

// Tables are not read again before it is time, however many pages ask.
func TestPace(t *testing.T) {
	r := newRun(t)
	s := r.server(Options{Draw: nothing})
	get(s, "/api/state")
	r.record("one", "cpu_csr", 1)
	s.watcher.pace = pace{ended: time.Now(), took: time.Hour}
	testkit.Equal(t, decoded[shownState](t, get(s, "/api/state")).All, 0, "it reads without a rest")
	p := pace{ended: time.Now().Add(-time.Minute), took: time.Second}
	testkit.Check(t, p.ready(time.Second, 59) && !p.ready(time.Second, 61) && !p.ready(2*time.Minute, 1),
		"a rest is not what it should be")
}

// Pictures are drawn when a page is open and data are new, not while others are being drawn, and
// seldom while a run measures.
func TestFiguresAreDrawnAgain(t *testing.T) {
	r := newRun(t)
	r.record("one", "cpu_csr", 1)
	drawn, asked, fail := 0, make(chan bool), false
	s := r.server(Options{Draw: func(ctx context.Context, path string) ([]Picture, error) {
		<-asked
		if fail {
			return nil, errors.New("out of ink")
		}
		drawn++
		return Draw(ctx, path)
	}})
	look := func() shownState { return decoded[shownState](t, get(s, "/api/state")) }
	testkit.Equal(t, drawn, 0, "it draws without a page")
	got := look()
	testkit.Check(t, got.Drawing == "drawing" && got.Figures == "0", "a page is opened: %q %s", got.Drawing, got.Figures)
	look() // the second page does not begin another drawing
	asked <- true
	s.figures.work.Wait()
	got = look()
	testkit.Check(t, got.Figures == "1" && got.Drawing == "" && drawn == 1,
		"it is drawn: %q %s, %d times", got.Drawing, got.Figures, drawn)

	r.record("one", "cpu_coo", 2)
	r.says(show.LiveState{Done: 2, At: time.Now()})
	testkit.Equal(t, look().Drawing, "", "it draws again at once while a run measures")
	s.figures.pace = pace{ended: time.Now().Add(-drawRest - time.Second)} // however long it took on a busy machine
	testkit.Require(t, look().Drawing == "drawing", "it does not draw what is new")
	fail = true
	asked <- true
	s.figures.work.Wait()
	got = look()
	testkit.Check(t, got.Figures == "1" && strings.Contains(got.Drawing, "out of ink"),
		"a drawing fails: %q %s", got.Drawing, got.Figures)
}

// The winner map has a picture with its own names, and what is drawn again without a change stays the same.
func TestPictures(t *testing.T) {
	r := newRun(t)
	for i, kernel := range []string{"cpu_csr", "cpu_coo", "cpu_csr", "cpu_coo"} {
		r.record("one", kernel, float64(1+i))
		r.record("two", kernel, float64(2+i))
	}
	s := r.server(Options{})
	get(s, "/api/state")
	s.figures.work.Wait()
	list := decoded[[]Picture](t, get(s, "/api/map"))
	testkit.Require(t, len(list) == 1, "%d pictures", len(list))
	testkit.Check(t, strings.HasPrefix(list[0].SVG, `<svg xmlns="http://www.w3.org/2000/svg" `) && strings.Contains(list[0].CSS, ".s0{") &&
		!strings.Contains(list[0].CSS, ":root") && !strings.Contains(list[0].SVG, " style="), "%.100s %.200s", list[0].SVG, list[0].CSS)
	testkit.EqualLists(t, testkit.Must(Draw(t.Context(), r.path)), list, "the same data")
}

// Addresses say who can reach the page.
func TestListen(t *testing.T) {
	for address, open := range map[string]bool{"localhost:0": false, "127.0.0.1:0": false, "0.0.0.0:0": true} {
		at := testkit.Must(Listen(address))
		at.Close()
		testkit.Check(t, at.Open == open && at.Any == open && strings.HasPrefix(at.URL, "http://"), "%s: %+v", address, at)
	}
	for _, address := range []string{"", "8765", "localhost", "localhost:http:1", "localhost:99999"} {
		if at, err := Listen(address); err == nil {
			at.Close()
			t.Errorf("%q is taken", address)
		}
	}
}
