package show

import (
	"fmt"
	"time"

	"spmvtune/internal/base/term"
)

// sayAfter is how long something must take to get a line where there is no terminal.
const sayAfter = 2 * time.Second

// doing says what is done between trials, until the next event: at once on a terminal, elsewhere if it takes long.
func (p *Progress) doing(what string) {
	if p.width != nil {
		p.draw(what)
		return
	}
	p.late = time.AfterFunc(sayAfter, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.late != nil {
			p.late = nil
			p.say(p.w, what)
		}
	})
}

// done ends doing.
func (p *Progress) done() {
	if p.watch != nil {
		p.watch.doing = ""
	}
	if p.late != nil {
		p.late.Stop()
		p.late = nil
	}
}

// draw draws a line on a terminal in place of the progress.
func (p *Progress) draw(line string) {
	if p.watch != nil {
		p.watch.doing = line
		p.watch.draw(p.now, p.begunOrder)
		return
	}
	if r, width := []rune(line), p.width()-1; len(r) > width {
		line = string(r[:max(width, 0)])
	}
	fmt.Fprint(term.Raw(p.w), eraseLine+term.Visible(line))
	p.drawn = true
}
