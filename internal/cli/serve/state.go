package serve

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"spmvtune/internal/base/term"
	"spmvtune/internal/cli/live"
	"spmvtune/kernels"
	"spmvtune/plots/data"
	"spmvtune/plots/number"
	"spmvtune/store"
	"spmvtune/tuner/trial"
)

// lastTrials is how many of the newest trials a page shows.
const lastTrials = 12

// A State is what a page shows of a run.
type State struct {
	Name    string   `json:"name"`
	Titles  []string `json:"titles"` // of the sweeps, in the order in which they were first run
	Running bool     `json:"running"`
	// Progress is what the run says, nil if it says nothing.
	Progress *live.State `json:"progress"`
	// Trials counts those in the database by status, and All sums them up.
	Trials map[trial.Status]int `json:"trials"`
	All    int                  `json:"all"`
	Best   Table                `json:"best"`
	Last   Table                `json:"last"`
}

// A Table is a table as a page shows it. Cells are texts; those of Right stand at the right.
type Table struct {
	Columns []string   `json:"columns"`
	Right   []bool     `json:"right"`
	Rows    [][]string `json:"rows"`
}

// read reads what a page shows of a database.
func read(ctx context.Context, db *store.DB) (s State, err error) {
	sweeps, err := db.Sweeps(ctx)
	if err != nil {
		return s, err
	}
	s.Titles = []string{}
	for _, sweep := range sweeps {
		title := sweep.Name
		if sweep.Title != "" {
			title += ": " + sweep.Title
		}
		s.Titles = append(s.Titles, term.Visible(title))
	}
	if s.Trials, err = db.Count(ctx); err != nil {
		return s, err
	}
	for _, n := range s.Trials {
		s.All += n
	}
	best, err := db.Best(ctx, store.Filter{})
	if err != nil {
		return s, err
	}
	last, err := db.Last(ctx, lastTrials)
	if err != nil {
		return s, err
	}
	s.Best, s.Last = bestTable(best), lastTable(last)
	return s, nil
}

// bestTable is the table of the best of each matrix. It names the device if there are several.
func bestTable(best []store.Best) Table {
	t := Table{Columns: []string{"matrix", "precision", "cache", "kernel", "setting", "time", "GFLOP/s", "GB/s", "tied",
		"device"},
		Right: []bool{5: true, 6: true, 7: true, 8: true, 9: false}, Rows: [][]string{}}
	several := false
	for i := range best {
		b := &best[i]
		several = several || b.Device != best[0].Device
		off := data.Relative(&b.Row)
		t.Rows = append(t.Rows, visible(b.Matrix, string(b.Precision), string(b.Cache), b.Kernel, setting(b.Config),
			number.Seconds(b.Time, b.Time*off), rate(b.GFLOPS, off), rate(b.GBPS, off), data.TieCount(b), b.Device))
	}
	if !several {
		t.drop()
	}
	return t
}

// lastTable is the table of the newest trials.
func lastTable(rows []store.Row) Table {
	t := Table{Columns: []string{"time of day", "matrix", "cache", "kernel", "setting", "status", "time", "GFLOP/s",
		"message"},
		Right: []bool{6: true, 7: true, 8: false}, Rows: [][]string{}}
	said := false
	for i := range rows {
		r := &rows[i]
		took, speed := "", ""
		if r.Status == trial.OK {
			took, speed = term.Seconds(r.Time), rate(r.GFLOPS, 0)
		}
		said = said || r.Message != ""
		t.Rows = append(t.Rows, visible(r.At.Local().Format("15:04:05"), r.Matrix, string(r.Cache), r.Kernel,
			string(r.Precision)+" "+setting(r.Config), string(r.Status), took, speed, r.Message))
	}
	if !said {
		t.drop()
	}
	return t
}

// drop leaves the last column out.
func (t *Table) drop() {
	n := len(t.Columns) - 1
	t.Columns, t.Right = t.Columns[:n], t.Right[:n]
	for i := range t.Rows {
		t.Rows[i] = t.Rows[i][:n]
	}
}

// visible makes signs visible that would turn the direction of text.
func visible(cells ...string) []string {
	for i := range cells {
		cells[i] = term.Visible(cells[i])
	}
	return cells
}

// setting is what there is to choose of a kernel.
func setting(c kernels.Config) string {
	s := ""
	if c.Block > 0 {
		s = fmt.Sprintf("block %d ", c.Block)
	}
	if c.Grid > 0 {
		s += fmt.Sprintf("grid %d ", c.Grid)
	}
	return strings.TrimSpace(s + c.Params.String())
}

// rate prints a rate with the digits that it has where it may be off by this share.
func rate(v, off float64) string {
	switch {
	case !(v > 0):
		return ""
	case off > 0:
		return number.Rounded(v, v*off)
	}
	return term.Digits(v)
}

// state answers what a page shows. It also says that a page is open.
func (s *Server) state(w http.ResponseWriter, r *http.Request) {
	state, err := s.watcher.state(r.Context())
	if err != nil {
		http.Error(w, term.Visible(err.Error()), http.StatusServiceUnavailable)
		return
	}
	answer(w, r, struct {
		State
		Figures string `json:"figures"` // changes with the pictures
		Drawing string `json:"drawing"` // why there are none, or none that are newer
	}{state, s.figures.version(), s.figures.wanted(state.Running)})
}
