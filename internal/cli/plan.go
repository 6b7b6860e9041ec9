package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/kernels/cuda"
	"spmvtune/store"
	"spmvtune/tuner"
)

func newPlan() *cobra.Command {
	var out string
	var asJSON, offline bool
	cmd := &cobra.Command{
		Use:   "plan SWEEP",
		Short: "Say what a sweep would run, and for how long",
		Long: `plan checks a sweep file, loads its matrices, applies its constraints, looks up
what is measured already, and measures nothing. It downloads nothing either: of a
matrix that is not here yet it says so, and what is planned for its twin where it has one.`,
		Example: `  spmvtune plan quickstart
  spmvtune plan my-sweep.toml --json`,
		Args:              needs("a sweep: a file, or the name of a shipped one such as quickstart"),
		ValidArgsFunction: completeSweep,
		RunE: func(cmd *cobra.Command, args []string) error {
			sweep, err := loadSweep(args[0])
			if err != nil {
				return err
			}
			if out == "" {
				out = filepath.Join(outRoot, sweep.Name)
			}
			settler, err := newSettler(offline, nil)
			if err != nil {
				return err
			}
			p, err := preview(cmd, sweep, filepath.Join(out, databaseFile), settler)
			if err != nil {
				return err
			}
			if asJSON {
				err = writeJSON(cmd.OutOrStdout(), p)
			} else {
				err = p.print(cmd.OutOrStdout())
			}
			if err == nil && len(p.Failures) > 0 {
				err = fmt.Errorf("%s can't be used", matrices(len(p.Failures)))
			}
			return err
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "folder of the results (default "+outRoot+"/NAME)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&offline, "offline", false, "plan for `run --offline`")
	flagFile(cmd, "out")
	return cmd
}

// planned is what `plan --json` prints.
type planned struct {
	Sweep    string          `json:"sweep"`
	Devices  []string        `json:"devices"`
	Trials   int             `json:"trials"`
	AtMost   bool            `json:"at_most,omitempty"` // a search decides which trials there are
	Strategy string          `json:"strategy"`
	Finished int             `json:"finished"`
	Skipped  map[string]int  `json:"skipped"`
	Seconds  float64         `json:"seconds"` // that are left, a guess
	Known    int             `json:"known"`   // of the trials left, those whose kernel was measured on their matrix
	Matrices []plannedMatrix `json:"matrices"`
	Twins    []plannedTwin   `json:"twins,omitempty"`
	Missing  []plannedGet    `json:"missing,omitempty"`
	Failures []plannedError  `json:"failures,omitempty"`
}

type plannedMatrix struct {
	Device   string  `json:"device"`
	Matrix   string  `json:"matrix"`
	Rows     int     `json:"rows"`
	Cols     int     `json:"cols"`
	NNZ      int     `json:"nnz"`
	Trials   int     `json:"trials"`
	Finished int     `json:"finished"`
	Seconds  float64 `json:"seconds"`
}

// plannedTwin is a matrix with the content of another one.
type plannedTwin struct {
	Matrix string `json:"matrix"`
	First  string `json:"first"`
}

// plannedGet is a matrix that run downloads first. The rest is that of its twin, if it
// has one, from sizes alone, and is in no sum.
type plannedGet struct {
	Matrix      string  `json:"matrix"`
	SuiteSparse string  `json:"suitesparse"`
	Device      string  `json:"device,omitempty"`
	Rows        int     `json:"rows,omitempty"`
	Cols        int     `json:"cols,omitempty"`
	NNZ         int     `json:"nnz,omitempty"`
	Trials      int     `json:"trials,omitempty"`
	Seconds     float64 `json:"seconds,omitempty"` // loading included
}

type plannedError struct {
	Matrix  string `json:"matrix"`
	Message string `json:"message"`
}

func preview(cmd *cobra.Command, sweep *configs.Sweep, database string, settler *tuner.Settler) (*planned, error) {
	ctx := cmd.Context()
	var db *store.DB
	// A run that was killed at once may have left an empty file.
	if info, err := os.Stat(database); err == nil && info.Size() > 0 {
		if db, err = store.OpenReadOnly(database); err != nil {
			return nil, err
		}
		defer db.Close()
	}
	p := &planned{Sweep: sweep.Name, Strategy: sweep.Search.Strategy, Skipped: map[string]int{}, Matrices: []plannedMatrix{}}
	for _, backend := range sweep.Backends() {
		if err := p.add(ctx, sweep.Only(backend), db, settler); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// add plans the part of a sweep that runs on one backend. db may be nil.
func (p *planned) add(ctx context.Context, part *configs.Sweep, db *store.DB, settler *tuner.Settler) error {
	opt := tuner.Options{Settler: settler}
	byRule, err := newChooser(ctx, part)
	if err != nil {
		return err
	}
	byRule.use(&opt)
	backend := part.Device.Backend
	if backend == "cuda" {
		if _, missing := findCUDA(ctx, part.Device.Index); missing != nil {
			backend = "cpu"
			if opt.Assume, err = assumeGPU(ctx, db); err != nil {
				return err
			}
		}
	}
	if opt.Launch, err = launchWorker(backend); err != nil {
		return err
	}
	var rec tuner.Recorder
	if db != nil {
		rec = db
	}
	dev, forecasts, failed, err := tuner.Preview(ctx, part, rec, opt)
	if err != nil {
		return explainGPU(err)
	}
	name := dev.Name
	if opt.Assume != nil {
		name += " (not here: assumed)"
	}
	p.Devices = append(p.Devices, name)
	for _, f := range forecasts {
		if f.Missing != "" {
			m := plannedGet{Matrix: f.Matrix.Name, SuiteSparse: f.Missing}
			if f.Size != (tuner.Size{}) {
				m.Device, m.Rows, m.Cols, m.NNZ = name, f.Size.Rows, f.Size.Cols, f.Size.Nonzeros
				m.Trials, m.Seconds = f.Outlook.Trials, (f.Outlook.Time + f.Outlook.Load).Seconds()
			}
			if !slices.Contains(p.Missing, m) {
				p.Missing = append(p.Missing, m)
			}
			continue
		}
		if f.Twin != nil {
			if t := plannedTwin(*f.Twin); !slices.Contains(p.Twins, t) {
				p.Twins = append(p.Twins, t)
			}
			continue
		}
		m := f.Matrix.Features
		p.Matrices = append(p.Matrices, plannedMatrix{
			name, f.Matrix.Name, m.Rows, m.Cols, m.Nonzeros, f.Count, f.Finished, f.Time.Seconds(),
		})
		p.Trials += f.Count
		p.AtMost = p.AtMost || f.AtMost
		p.Finished += f.Finished
		p.Known += f.Known
		p.Seconds += f.Time.Seconds()
		for reason, n := range f.Skipped {
			p.Skipped[reason] += n
		}
	}
	for _, f := range failed {
		if e := (plannedError{f.Matrix, inWords(f.Err).Error()}); !slices.Contains(p.Failures, e) {
			p.Failures = append(p.Failures, e)
		}
	}
	return nil
}

// assumedUnits is the number of multiprocessors that a plan supposes where
// neither this machine nor the database has a GPU: an H100's.
const assumedUnits = 132

// assumeGPU returns the GPU that db has trials of, or else a supposed one. db
// may be nil.
func assumeGPU(ctx context.Context, db *store.DB) (*tuner.Assumed, error) {
	a := &tuner.Assumed{
		Device:  kernels.Device{Backend: "cuda", Name: fmt.Sprintf("GPU of %d multiprocessors", assumedUnits), Units: assumedUnits, MaxBlock: 1024},
		Sources: map[string]string{},
	}
	for _, k := range kernels.Catalogue {
		if k.Backend == "cuda" {
			a.Sources[k.Name] = cuda.Source(k.Name)
		}
	}
	if db == nil {
		return a, nil
	}
	devices, err := db.Devices(ctx)
	for _, d := range devices {
		if d.Backend == "cuda" {
			a.Device = d.Device
		}
	}
	return a, err
}

func (p *planned) print(w io.Writer) error {
	fmt.Fprintf(w, "%s on %s\n", p.Sweep, strings.Join(p.Devices, " and "))
	g := grid{columns: []string{"matrix", "rows", "cols", "nnz", "trials", "measured", "time left"}}
	several := len(p.Devices) > 1
	if several {
		g.columns = append([]string{"device"}, g.columns...)
	}
	for _, m := range p.Matrices {
		row := []any{m.Matrix, m.Rows, m.Cols, m.NNZ, m.Trials, m.Finished, quantity(about(m.Seconds))}
		if several {
			row = append([]any{m.Device}, row...)
		}
		g.rows = append(g.rows, row)
	}
	var asTwins []string
	asTwinTrials, asTwinSeconds := 0, 0.0
	for _, m := range p.Missing {
		if m.Device == "" {
			continue
		}
		row := []any{m.Matrix + " (as its twin)", m.Rows, m.Cols, m.NNZ, m.Trials, 0, quantity(about(m.Seconds))}
		if several {
			row = append([]any{m.Device}, row...)
		}
		g.rows = append(g.rows, row)
		asTwinTrials, asTwinSeconds = asTwinTrials+m.Trials, asTwinSeconds+m.Seconds
		if !slices.Contains(asTwins, m.SuiteSparse) {
			asTwins = append(asTwins, m.SuiteSparse)
		}
	}
	if len(g.rows) > 0 {
		if err := g.write(w, "table"); err != nil {
			return err
		}
	}
	for _, m := range p.Missing {
		if m.Device == "" {
			fmt.Fprintf(w, "%s is not downloaded yet, so its size and its trials are unknown: run does it, or `spmvtune matrix get %s`\n", m.Matrix, m.SuiteSparse)
		}
	}
	if len(asTwins) > 0 {
		get := asTwins[0]
		if len(asTwins) > 1 {
			get = "Group/Name"
		}
		fmt.Fprintf(w, "%s: run does it, or `spmvtune matrix get %s`\n", count(len(asTwins), "matrix is not downloaded yet", "matrices are not downloaded yet"), get)
		fmt.Fprintf(w, "  shown is what their twins would take: %s, about %s; the matrices themselves may be larger\n", trials(asTwinTrials), about(asTwinSeconds))
	}
	for _, t := range p.Twins {
		fmt.Fprintln(w, tuner.Twin(t))
	}
	printSkipped(w, p.Skipped)
	for _, f := range p.Failures {
		fmt.Fprintf(w, "can't be used: %s: %s\n", f.Matrix, f.Message)
	}
	if len(p.Missing) > 0 && p.Trials == 0 {
		return nil
	}
	if len(p.Missing) > 0 {
		fmt.Fprint(w, "of the others: ")
	}
	if p.Trials > 0 && p.Finished == p.Trials {
		_, err := fmt.Fprintf(w, "%s, all measured already\n", trials(p.Trials))
		return err
	}
	if p.AtMost {
		_, err := fmt.Fprintf(w, "%s at most, %d measured already: the search (%s) decides which, and with how many samples; time left about %s, a guess from what searches usually take\n",
			trials(p.Trials), p.Finished, p.Strategy, about(p.Seconds))
		return err
	}
	_, err := fmt.Fprintf(w, "%s, %d measured already; time left about %s, %s\n",
		trials(p.Trials), p.Finished, about(p.Seconds), p.basis())
	return err
}

// basis says what the time that is left is estimated from.
func (p *planned) basis() string {
	switch left := p.Trials - p.Finished; {
	case p.Known == 0:
		return "a guess from the sizes and the sweep's budget of a trial"
	case p.Known == left:
		return "from what these kernels took on these matrices"
	default:
		return fmt.Sprintf("from what the kernels of %d of them took on the same matrices; the rest is a guess", p.Known)
	}
}

// about prints a time that is a guess.
func about(seconds float64) string {
	unit := time.Second
	if seconds < 10 {
		unit = time.Second / 10
	}
	return time.Duration(seconds * float64(time.Second)).Round(unit).String()
}
