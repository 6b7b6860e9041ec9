package show

import (
	"fmt"
	"io"
	"sync"
	"time"

	"spmvtune/internal/base/term"
)

// Stages shows what a report is at: by a line that is redrawn on a terminal, elsewhere by a line
// now and then.
type Stages struct {
	w        io.Writer
	terminal bool
	mu       sync.Mutex
	said     time.Time
	drawn    bool
}

// NewStages shows stages on w.
func NewStages(w io.Writer) *Stages {
	return &Stages{w: w, terminal: term.SizeOf(w) != nil, said: time.Now()}
}

// Begin shows at once what is being done for long.
func (s *Stages) Begin(what string) {
	s.mu.Lock()
	s.said = time.Time{}
	s.mu.Unlock()
	s.At(what, 0, 0)
}

// At shows what is being done, and how much of it is done if of is not 0.
func (s *Stages) At(what string, done, of int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	every := lineEvery
	if s.terminal {
		every = drawEvery
	}
	if time.Since(s.said) < every {
		return
	}
	s.said = time.Now()

	line := what
	if of > 0 {
		line += fmt.Sprintf(": %d of %d  %d%%", done, of, 100*done/of)
	}
	if !s.terminal {
		fmt.Fprintln(s.w, line)
		return
	}
	fmt.Fprint(term.Raw(s.w), eraseLine+term.Visible(line))
	s.drawn = true
}

// Clear erases the line from the terminal.
func (s *Stages) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.drawn {
		fmt.Fprint(term.Raw(s.w), eraseLine)
		s.drawn = false
	}
}
