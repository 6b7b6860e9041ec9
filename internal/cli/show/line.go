// SPDX-License-Identifier: Apache-2.0

package show

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"example.org/spmvtune/internal/base/term"
)

// A statusLine is a line of a terminal that is drawn again in its place.
type statusLine struct {
	w io.Writer
	// size is that of the terminal, nil where w is none.
	size  func() (width, height int)
	drawn bool // there is a line to erase
}

// onLine is the line of the terminal behind w, if it is one.
func onLine(w io.Writer) statusLine { return statusLine{w: w, size: term.SizeOf(w)} }

// eraseLine goes to the start of the line and erases it.
const eraseLine = "\r\x1b[K"

// width is how many columns a line may have. The last one of the terminal stays empty: some break the line there.
func (l *statusLine) width() int {
	if width, _ := l.size(); width > 0 {
		return width - 1
	}
	return defaultWidth - 1
}

// The size of a terminal that does not tell its own.
const defaultWidth, defaultHeight = 80, 24

// draw draws as much of a text as fits. One write avoids flicker.
func (l *statusLine) draw(line string) {
	fmt.Fprint(term.Raw(l.w), eraseLine+text.Trim(term.Visible(line), l.width()))
	l.drawn = true
}

// clear erases the line.
func (l *statusLine) clear() {
	if l.drawn {
		fmt.Fprint(term.Raw(l.w), eraseLine)
		l.drawn = false
	}
}

// How often progress is shown.
const (
	drawEvery = 100 * time.Millisecond // on a terminal
	lineEvery = 5 * time.Second        // elsewhere
)

// every is how often progress is shown.
func (l *statusLine) every() time.Duration {
	if l.size == nil {
		return lineEvery
	}
	return drawEvery
}

// Stages shows what a report is at: by a line that is redrawn on a terminal, elsewhere by a line
// now and then.
type Stages struct {
	line statusLine
	mu   sync.Mutex
	said time.Time
}

// NewStages shows stages on w.
func NewStages(w io.Writer) *Stages { return &Stages{line: onLine(w), said: time.Now()} }

// At shows what is being done, and how much of it is done if of is not 0.
func (s *Stages) At(what string, done, of int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.said) < s.line.every() {
		return
	}
	s.said = time.Now()
	if of > 0 {
		what += fmt.Sprintf(": %d of %d  %d%%", done, of, 100*done/of)
	}
	if s.line.size == nil {
		fmt.Fprintln(s.line.w, what)
		return
	}
	s.line.draw(what)
}

// Clear erases the line from the terminal.
func (s *Stages) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.line.clear()
}

// sayAfter is how long something must take to get a line.
const sayAfter = 2 * time.Second

// Long says on w what is being done once it takes long: on a terminal on a line that counts the seconds and that end
// erases, elsewhere on a line.
func Long(w io.Writer, what string) (end func()) { return long(w, what, sayAfter, time.Second) }

func long(w io.Writer, what string, after, every time.Duration) (end func()) {
	began, ended, over := time.Now(), make(chan struct{}), make(chan struct{})
	line := onLine(w)
	go func() {
		defer close(over)
		defer line.clear()
		for wait := after; ; wait = every {
			select {
			case <-ended:
				return
			case <-time.After(wait):
			}
			if line.size == nil {
				fmt.Fprintln(w, what)
				<-ended
				return
			}
			line.draw(lasting(what, time.Since(began), line.width()))
		}
	}()
	return sync.OnceFunc(func() {
		close(ended)
		<-over
	})
}

// lasting says what is being done and for how long, in at most width columns.
func lasting(what string, took time.Duration, width int) string {
	seconds := fmt.Sprintf("  %s", took.Round(time.Second))
	return text.Trim(term.Visible(what), max(width-len(seconds), 0)) + seconds
}
