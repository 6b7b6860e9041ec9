package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"spmvtune/configs"
	"spmvtune/tuner"
)

// lineEvery is how often progress is printed where there is no terminal.
const lineEvery = 5 * time.Second

// progress shows how far a run is: a bar on a terminal, else now and then a
// line.
type progress struct {
	w        io.Writer
	bar      *progressbar.ProgressBar // nil: lines
	matrices int
	index    int
	matrix   tuner.Matrix
	measured int     // by this run
	done     int     // earlier runs' included
	planned  int     // of the matrices so far
	best     float64 // seconds, of the current matrix
	winner   string
	started  time.Time
	printed  time.Time
}

func newProgress(w io.Writer, matrices int) *progress {
	p := &progress{w: w, matrices: matrices, started: time.Now(), printed: time.Now()}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.bar = progressbar.NewOptions(1,
			progressbar.OptionSetWriter(w),
			progressbar.OptionShowCount(),
			progressbar.OptionShowIts(),
			progressbar.OptionSetItsString("trials"),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionSetWidth(20),
			progressbar.OptionClearOnFinish(),
		)
	}
	return p
}

// printTitle begins a run.
func printTitle(w io.Writer, sweep *configs.Sweep) {
	title := sweep.Name
	if sweep.Title != "" {
		title += ": " + sweep.Title
	}
	fmt.Fprintln(w, title)
}

// observe takes one event of the run.
func (p *progress) observe(e tuner.Event) {
	switch {
	case e.Started != nil:
		fmt.Fprintf(p.w, "device: %s, %d matrices\n", e.Started.Device, e.Started.Matrices)
	case e.Matrix != nil:
		p.index, p.matrix = e.Matrix.Index, e.Matrix.Matrix
		p.planned += e.Matrix.Trials
		p.done += e.Matrix.Finished
		p.best, p.winner = 0, ""
	case e.Result != nil:
		p.done++
		p.measured++
		if r := e.Result; r.Status == tuner.OK && (p.best == 0 || r.Median < p.best) {
			p.best, p.winner = r.Median, r.Config.String()
		}
	case e.Failure != nil:
		p.say(fmt.Sprintf("skipping %s: %v", e.Failure.Matrix, e.Failure.Err))
		return
	}
	p.show()
}

// total estimates the number of trials of the sweep: exact once the last
// matrix is planned.
func (p *progress) total() int {
	return p.planned * p.matrices / (p.index + 1)
}

func (p *progress) show() {
	if p.planned == 0 {
		return
	}
	status := fmt.Sprintf("[%d/%d] %s", p.index+1, p.matrices, p.matrix.Name)
	if p.winner != "" {
		status += fmt.Sprintf(" best %s (%s, %.3g GFLOP/s)", p.winner, duration(p.best),
			2*float64(p.matrix.Features.Nonzeros)/p.best/1e9)
	}
	if p.bar != nil {
		p.bar.ChangeMax(max(p.total(), p.done, 1))
		p.bar.Describe(status)
		p.bar.Set(p.done)
		return
	}
	if p.measured == 0 || time.Since(p.printed) < lineEvery {
		return
	}
	p.printed = time.Now()
	elapsed := time.Since(p.started)
	left := time.Duration(float64(elapsed) / float64(p.measured) * float64(p.total()-p.done))
	fmt.Fprintf(p.w, "%d of %d trials, %.1f per second, %s left; %s\n",
		p.done, p.total(), float64(p.measured)/elapsed.Seconds(), left.Round(time.Second), status)
}

// say prints a line of its own.
func (p *progress) say(line string) {
	if p.bar != nil {
		p.bar.Clear()
	}
	fmt.Fprintln(p.w, line)
}

// close removes the bar.
func (p *progress) close() {
	if p.bar != nil {
		p.bar.Finish()
	}
}

// duration prints seconds in a unit that fits.
func duration(s float64) string {
	switch {
	case s < 1e-3:
		return fmt.Sprintf("%.3g µs", s*1e6)
	case s < 1:
		return fmt.Sprintf("%.3g ms", s*1e3)
	default:
		return fmt.Sprintf("%.3g s", s)
	}
}
