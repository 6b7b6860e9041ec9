// SPDX-License-Identifier: Apache-2.0

package show

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/tuner/hardware"

	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner"
	"example.org/spmvtune/tuner/trial"
)

// Progress shows how far a run is: by a line that is redrawn on a terminal, elsewhere by a line
// now and then.
type Progress struct {
	w    io.Writer
	line statusLine // of w
	// alarm takes failures, which users see even if they do not see w.
	alarm io.Writer
	// Known returns the best on a matrix of earlier runs, in each precision and cache state. It may
	// be nil.
	Known func(device, matrix string) []Leader
	// Every is added to the time between two lines with each of them, where there is no terminal: the log of a day has
	// some dozens if it is a minute. 0 lets lines come every five seconds.
	Every time.Duration
	// Changed is why trials are new that were measured before; "" if none are.
	Changed string
	// said holds the messages so far, which are not repeated.
	said map[string]bool
	// mu guards the rest: there may be several devices.
	mu sync.Mutex
	// watch shows a table instead of the line; nil if it does not.
	watch  *watch
	device string
	now    progressLine
	// matrices are what is known of each, by its hash, and begunOrder has them in the order of the
	// run. The line shows that of the last result.
	matrices   map[string]*progressMatrix
	begunOrder []*progressMatrix
	// planned counts the trials of the matrices so far, and begun these matrices.
	planned, begun int
	// measured counts the trials that this run measured on this device.
	measured int
	devices  int
	// expectation is nil until the first trial begins.
	expectation *expectation
	printed     time.Time
	pause       time.Duration // pause is the time until the next line, as far as Every says it.
	// late says what is being done, if that takes long.
	late *time.Timer
}

// New shows progress on w, and failures on alarm.
func New(w, alarm io.Writer) *Progress {
	return &Progress{w: w, line: onLine(w), alarm: alarm, said: map[string]bool{}, printed: time.Now(),
		matrices: map[string]*progressMatrix{}}
}

// Observe takes one event of the run.
func (p *Progress) Observe(e tuner.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done()
	switch {
	case e.Started != nil:
		p.device = e.Started.Device
		p.now = progressLine{matrices: e.Started.Matrices}
		p.planned, p.measured, p.begun = 0, 0, 0
		p.devices, p.expectation = e.Started.Devices, nil
		p.matrices, p.begunOrder = map[string]*progressMatrix{}, nil
		p.say(p.w, fmt.Sprintf("device: %s, %s", Devices(e.Started.Devices, e.Started.Device), term.Matrices(e.Started.Matrices)))
		if why := e.Started.NoSensors; why != "" {
			p.say(p.w, "note: GPU clocks, temperature and power are not recorded: "+why)
		}
	case e.Doing != "":
		p.doing(e.Doing)
		return
	case e.Matrix != nil:
		p.matrix(*e.Matrix)
	case e.Ahead != nil:
		p.expectation = newExpectation(e.Ahead, p.devices, p.begunOrder, time.Now())
		if p.Changed != "" {
			p.say(p.w, term.Lines(p.w, NewTrials(p.Changed, p.expectation.ahead())))
		}
	case e.Rerun != nil:
		if of := p.matrices[e.Rerun.Matrix]; of != nil {
			p.now.progressMatrix, p.now.repeating = *of, e.Rerun.LeaderRerun || e.Rerun.NoiseRerun
		}
	case e.Result != nil:
		p.now.done++
		p.measured++
		p.result(e.Result)
	case e.Repeating+e.Over != "":
		p.expectation.repeat(e.Repeating+e.Over, e.Over != "", time.Now())
	case e.Unbuilt != nil:
		p.note("%s %s. %s invalid; the other kernels go on", e.Unbuilt.Kernel, e.Unbuilt.Reason,
			term.Count(e.Unbuilt.Configs, "configuration is", "configurations are"))
	case e.Roofless != nil:
		p.note("the bandwidth of the memory is not known, and results are not compared with it: %v", e.Roofless)
	case e.Crowded != nil:
		p.note("the processor is busy: %s. %s", e.Crowded.HostUse, trial.HostRemedy(e.Crowded.Launching))
	case e.Failure != nil:
		if !e.Failure.Measured {
			p.expectation.skip(e.Failure.Matrix)
		}
		p.say(p.alarm, fmt.Sprintf("%s: %v", e.Failure.Skips(), hardware.InWords(e.Failure.Err)))
		return
	case e.Gone != nil:
		p.say(p.alarm, fmt.Sprintf("GPU %d does not answer any more; %s on without it: %v", e.Gone.Index,
			term.Count(e.Gone.Others, "other goes", "others go"), hardware.InWords(e.Gone.Err)))
		return
	}

	p.show()
}

// foreseen reports whether the time left is told: the first few trials say little of the rest.
func foreseen(elapsed, left time.Duration) bool {
	return elapsed >= time.Minute || elapsed >= 5*time.Second && elapsed >= (elapsed+left)/20
}

// matrix begins the next matrix.
func (p *Progress) matrix(m tuner.MatrixPlanned) {
	if n := m.Matrix.NonFinite; n > 0 {
		p.say(p.w, "note: "+NonFinite(m.Matrix.Name, n))
	}
	if odd := m.Matrix.Odd; odd != "" {
		p.say(p.w, "note: "+m.Matrix.Name+": "+odd)
	}
	if m.Matrix.Note != "" {
		p.say(p.w, "note: "+m.Matrix.Note)
	}
	p.begun = max(p.begun, m.Index+1)
	of := p.matrices[m.Matrix.Hash]
	if of == nil {
		of = &progressMatrix{index: m.Index, matrix: m.Matrix.Name, nonzeros: m.Matrix.Features.Nonzeros}
		p.matrices[m.Matrix.Hash] = of
		p.begunOrder = append(p.begunOrder, of)
	}
	of.trials, of.done = of.trials+m.Trials, of.done+m.Finished
	if p.now.atMost { // the searches before this one have ended
		p.planned = p.now.done
	}
	p.now.atMost = m.AtMost
	if !m.Again {
		p.planned += m.Trials
		p.now.done += m.Finished
	}
	if m.Finished > 0 && p.Known != nil {
		for _, l := range p.Known(p.device, m.Matrix.Name) {
			of.lead(l)
		}
	}
	p.now.progressMatrix, p.now.repeating = *of, false
	p.expectation.begin(m.Matrix.Name, m.Trials, m.Finished)
}

// result takes the outcome of a trial.
func (p *Progress) result(r *trial.Result) {
	of := p.matrices[r.Matrix]
	if of == nil {
		return
	}
	of.done++
	p.expectation.result(of.matrix)
	if r.Status == trial.OK {
		l := Leader{Config: r.Config, Cache: r.Cache, Seconds: r.Median, GFLOPS: 2e-9 * float64(of.nonzeros) / r.Median,
			GBPS: 1e-9 * float64(r.BytesMin) / r.Median}
		of.lead(l)
	}
	p.now.progressMatrix, p.now.repeating = *of, false
}

// show draws or prints the line if enough time has passed.
func (p *Progress) show() {
	isTerminal := p.line.size != nil
	every := max(p.line.every(), p.pause)
	if p.planned == 0 || time.Since(p.printed) < every || !isTerminal && p.measured == 0 {
		return
	}
	p.printed = time.Now()
	p.pause += p.Every
	p.foresee()
	switch {
	case p.watch != nil:
		p.watch.draw(p.now, p.begunOrder)
	case isTerminal:
		p.line.draw(p.now.draw(p.line.width()))
	default:
		fmt.Fprintln(p.w, p.now.fit(math.MaxInt))
	}
}

// foresee estimates how many trials there are in all, and the time left.
func (p *Progress) foresee() {
	// Until the last matrix is planned, both are estimates.
	p.now.total = max(p.planned*p.now.matrices/p.begun, p.now.done)
	if p.expectation == nil {
		return
	}
	if p.begun < p.now.matrices {
		p.now.total = max(p.expectation.total(), p.now.done)
	}
	now := time.Now()
	elapsed := now.Sub(p.expectation.began)
	if p.measured == 0 || elapsed <= 0 {
		return
	}
	p.now.rate = float64(p.measured) / elapsed.Seconds()
	left, known := p.expectation.foresee(now)
	// A search ends when it has found enough.
	p.now.left, p.now.foreseen = left, known && left > 0 && !p.now.atMost && foreseen(elapsed, left)
}

// say prints a message on a line of its own, unless it was printed before.
func (p *Progress) say(w io.Writer, line string) {
	if p.said[line] {
		return
	}
	p.said[line] = true
	p.print(w, line)
}

// note says what about a run needs to be known while it goes on.
func (p *Progress) note(format string, args ...any) {
	p.say(p.w, term.Lines(p.w, fmt.Sprintf("note: "+format, args...)))
}

// print prints a message on a line of its own, or keeps it for the table.
func (p *Progress) print(w io.Writer, line string) {
	if p.watch != nil {
		p.watch.note(w, line)
		return
	}
	p.line.clear()
	fmt.Fprintln(w, line)
}

// Clear erases the line from the terminal, or ends the table.
func (p *Progress) Clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done()
	if p.watch != nil {
		p.watch.end()
		p.watch = nil
	}
	p.line.clear()
}

// State is how far the run is.
func (p *Progress) State() LiveState {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := LiveState{Device: p.device, Done: p.now.done, AtMost: p.now.atMost, Matrix: p.now.matrix,
		Matrices: p.now.matrices}
	if p.begun > 0 {
		p.foresee()
		s.Total, s.Index, s.Rate = p.now.total, p.now.index+1, p.now.rate
	}
	if p.now.foreseen {
		s.Left = p.now.left.Seconds()
	}
	return s
}

// doing says what is done between trials, until the next event: at once on a terminal, elsewhere if it takes long.
func (p *Progress) doing(what string) {
	if p.line.size != nil {
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
	p.line.draw(line)
}

// A progressLine is the state that the progress line shows.
type progressLine struct {
	// done and total count trials, including those of earlier runs.
	done, total int
	// atMost says that a search decides how many trials there are. total is then the upper bound.
	atMost bool
	// rate is the speed of this run in trials per second, 0 if it is not known yet.
	rate float64
	// left is the time left. It is shown if it is foreseen.
	left     time.Duration
	foreseen bool
	// repeating says that leaders are measured once more.
	repeating bool
	matrices  int
	progressMatrix
}

// A progressMatrix is what the progress line says of a matrix.
type progressMatrix struct {
	// index is its number in the order of the run, from 0.
	index    int
	matrix   string
	nonzeros int
	// trials are planned on it, of which done are over.
	trials, done int
	// best is the fastest of leaders, which are the best of each precision and cache state so far, in
	// the order of their first trial.
	best    Leader
	leaders []Leader
}

// A Leader is the best configuration so far of a matrix in a precision and cache state.
type Leader struct {
	Config kernels.Config
	Cache  trial.Cache
	// Seconds is its time, 0 if there is none. GBPS is 0 if it is not known.
	Seconds, GFLOPS, GBPS float64
}

// setting is the configuration but for its kernel.
func (l *Leader) setting() string { return strings.TrimPrefix(l.Config.String(), l.Config.Kernel+" ") }

// share is how much is done, from 0 to 1.
func (s progressLine) share() float64 { return float64(s.done) / float64(max(s.total, s.done, 1)) }

// draw returns s as one line of a terminal, with a bar if there is room.
func (s progressLine) draw(width int) string {
	if width < 100 {
		return s.fit(width)
	}
	n := min((width-60)/4, 30)
	full := int(s.share() * float64(n))
	bar := strings.Repeat("█", full) + strings.Repeat("░", n-full) + "  "
	return bar + s.fit(width-text.StringWidth(bar))
}

// fit returns as much of s as fits the width. It leaves out the configuration first, then its
// time, then the matrix.
func (s progressLine) fit(width int) string {
	counts := fmt.Sprintf("%d/%d  %d%%", s.done, s.total, int(100*s.share()))
	if s.atMost {
		counts = fmt.Sprintf("%d of at most %d", s.done, s.total)
	}
	pace := ""
	if s.rate > 0 {
		pace = fmt.Sprintf("  %s/s", term.Significant(s.rate, 2))
	}
	if s.foreseen {
		pace += fmt.Sprintf("  %s left", s.left.Round(time.Second))
	}
	where := fmt.Sprintf("  [%d/%d]", s.index+1, s.matrices)
	name := " " + s.matrix
	if s.repeating {
		name += ", repeat runs"
	}

	head := counts + pace + where
	lines := []string{head + name, head, counts + pace, counts}
	if s.best.Seconds > 0 {
		// Repeat runs find other times.
		kernel := map[bool]string{true: " best at first ", false: " best so far "}[s.repeating] + s.best.Config.Kernel
		took, speed := " "+term.Seconds(s.best.Seconds), " "+term.Digits(s.best.GFLOPS)+" GFLOP/s"
		lines = append([]string{
			head + name + ":" + kernel + " " + s.best.setting() + took + speed,
			head + name + ":" + kernel + took + speed,
			head + name + ":" + kernel + speed,
			head + kernel + speed,
		}, lines...)
	}

	for _, line := range lines {
		if text.StringWidth(line) <= width {
			return line
		}
	}

	return text.Trim(counts, width)
}

// lead makes a configuration the best so far of its precision and cache state if it is faster.
func (m *progressMatrix) lead(l Leader) {
	if m.best.Seconds == 0 || l.Seconds < m.best.Seconds {
		m.best = l
	}
	i := slices.IndexFunc(m.leaders, func(o Leader) bool {
		return o.Config.Precision == l.Config.Precision && o.Cache == l.Cache
	})
	switch {
	case i < 0:
		m.leaders = append(m.leaders, l)
	case l.Seconds < m.leaders[i].Seconds:
		m.leaders[i] = l
	}
}
