// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/files"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/cli/command"
	matrixcmd "example.org/spmvtune/internal/cli/matrix"
	"example.org/spmvtune/internal/cli/show"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse/fetch"
	"example.org/spmvtune/sparse/file"
	"example.org/spmvtune/sparse/generate"
	"example.org/spmvtune/tuner"
	"example.org/spmvtune/tuner/hardware"
	"example.org/spmvtune/tuner/search"
	"example.org/spmvtune/tuner/trial"
)

// tuneCommand is the command tune: a run of a sweep that no file holds, with an answer for each matrix in place of a
// summary and a report. All calls share one database.
type tuneCommand struct {
	runCommand
	target                   matrixcmd.Target
	precision, cache, device string
	products                 int
	budget                   time.Duration
	all                      bool

	matrices []trial.Matrix     // as they were loaded, in order
	without  []string           // what is wrong with each of them that has no answer
	done     map[string]*tuning // by the hash of the matrix
	last     time.Time          // when a matrix was loaded, or a trial ended
	errors   io.Writer
}

// A tuning is what this call did for a matrix.
type tuning struct {
	measured int             // configurations
	seconds  float64         // that this took, with repeat runs: all but loading the matrix
	end      *tuner.Searched // nil where everything is measured
}

// defaultTune is tune without flags.
var defaultTune = tuneCommand{precision: string(kernels.Float32), cache: string(trial.Warm), device: "auto"}

func newTune() *cobra.Command {
	t := defaultTune
	cmd := &cobra.Command{
		Use:   "tune MATRIX...",
		Short: "Find the fastest kernel for a matrix, in seconds",
		Long: `tune measures the kernels that may be the fastest for a matrix, on the GPU or, without one,
on the processor. It says which to use, and from how many products on. First come what the
rule names and what to compare with, then what has the largest chance to beat the fastest
so far, until no chance is above 1% or the budget is used up. What was measured is kept, as
the run "tune": the same command answers at once, and best, report and learn take that name.
It says to use what best names or, if nothing is clearly faster, the fastest of cuSPARSE or,
on the processor, cpu_csr. ± is how far another run may be off; what leads, and what it is
compared with, is measured again for that. The last column counts products of the kernel
itself that take as long as preparing it.

` + matrixcmd.TargetHelp,
		Example: `  spmvtune tune A.mtx
  spmvtune tune A.mtx B.rb.gz --precision float64 --products 1000
  spmvtune tune rmat:scale=16 --all        # measure the whole grid`,
		Args:              command.NeedsSome("a matrix: a file, a generator such as rmat:scale=18, or Group/Name of SuiteSparse"),
		ValidArgsFunction: matrixcmd.CompleteTargets,
		RunE:              t.Run,
	}
	f := cmd.Flags()
	f.StringVarP(&t.out, "out", "o", "", "folder of the results (default "+command.OutRoot()+"/tune)")
	f.BoolVarP(&t.quiet, "quiet", "q", false, "print the answer and errors only")
	command.FlagWord(cmd, &t.precision, "precision", "precision", strings.Join(precisions, " or "), precisions...)
	command.FlagWord(cmd, &t.cache, "cache", "cache state", "warm, or cold before every product", cacheStates[:2]...)
	f.StringVar(&t.device, "device", t.device, "auto, cpu, cuda, or the number of a GPU")
	f.IntVar(&t.products, "products", 0, "choose for this many products, preparation included (default: many)")
	f.DurationVar(&t.budget, "budget", 0, "most time searching for a matrix, and about as much for repeat runs (default 3s, on the processor 15s)")
	f.BoolVar(&t.all, "all", false, "measure the whole grid")
	f.BoolVar(&t.retry, "retry-failed", false, "measure trials again that ended in wrong, fault, timeout or oom")
	cmd.MarkFlagsMutuallyExclusive("all", "budget")
	t.target.Flags(cmd)
	t.output.Flags(cmd)
	command.FlagOffline(cmd, &t.offline)
	command.FlagFile(cmd, "out")
	command.FlagValues(cmd, "device", "auto", "cpu", "cuda")
	return cmd
}

// sweepText matches a text that begins as a sweep file does, with a table or a key.
var sweepText = regexp.MustCompile(`^\s*(#.*\s+)*(\[|[\w-]+\s*=)`)

// isMatrix reports whether an argument of run is a matrix: the name of a file of one, another file that is no sweep, a
// generator, or Group/Name of the collection.
func isMatrix(text string) bool {
	if _, known := file.Stem(text); known || filepath.Ext(text) == ".toml" {
		return known
	}
	if info, err := os.Stat(text); err == nil && !info.IsDir() {
		f, err := files.Open(text)
		if err != nil {
			return false
		}
		defer f.Close()
		return !sweepText.MatchReader(bufio.NewReader(io.LimitReader(f, 1<<12)))
	}
	name, _, _ := strings.Cut(text, ":")
	_, generator := generate.Lookup(name)
	_, err := fetch.ParseID(text)
	return generator || err == nil && filepath.Ext(text) == ""
}

// Run measures matrices and prints an answer for each.
func (t *tuneCommand) Run(cmd *cobra.Command, args []string) (err error) {
	if t.products < 0 {
		return command.Usage(fmt.Errorf("--products %d: must not be negative", t.products))
	}
	if t.budget <= 0 && cmd.Flags().Changed("budget") {
		return command.Usage(fmt.Errorf("--budget %s: must be positive, such as 5s", t.budget))
	}
	if t.sweep, err = t.newSweep(cmd.Context()); err != nil {
		return err
	}
	if t.sweep.Matrices, err = t.named(args); err != nil {
		return err
	}
	t.out = cmp.Or(t.out, filepath.Join(command.OutRoot(), t.sweep.Name))
	t.again = append([]string{"spmvtune"}, os.Args[1:]...)
	t.done, t.observe, t.accept, t.roofless = map[string]*tuning{}, t.note, notEmpty, true
	t.w, t.errors, t.data = cmd.ErrOrStderr(), cmd.ErrOrStderr(), cmd.OutOrStdout()
	if t.quiet {
		t.w = io.Discard
	}
	t.line = show.New(t.w, io.Discard) // outcome says what failed
	return t.answer(cmd.Context())
}

// named returns the matrices that arguments name, under names that differ.
func (t *tuneCommand) named(args []string) (list []configs.Matrix, err error) {
	t.target.Absent = !t.offline
	for i, arg := range args {
		if slices.Contains(args[:i], arg) {
			continue
		}
		if info, err := os.Stat(arg); err == nil && !info.IsDir() && !isMatrix(arg) {
			return nil, command.Usage(fmt.Errorf("%s is a sweep file: spmvtune run measures it", arg))
		}
		m, err := t.target.Spec(arg)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(list, func(o configs.Matrix) bool { return o.Name == m.Name }) { // as of A.mtx and old/A.mtx
			m.Name = strings.ReplaceAll(arg, string(filepath.Separator), "-")
		}
		list = append(list, m)
	}
	return list, nil
}

// budgets are how long a matrix is measured at most unless told, by backend.
var budgets = map[string]time.Duration{"cuda": 3 * time.Second, "cpu": 15 * time.Second}

// unlike chooses the blocks of a processor's kernels that do not do as the next smaller one, which holds all, does.
var unlike = map[string]string{"cpu_csr_rows": "block == 64 || block < 8 * rows", "cpu_coo_chunks": "block == 1024 || block < 8 * nnz"}

// newSweep makes the sweep without matrices: of the kernels of the corpus that rules learn from or, for a
// processor, of those of quickstart.
func (t *tuneCommand) newSweep(ctx context.Context) (*configs.Sweep, error) {
	device, err := t.chosen(ctx)
	if err != nil {
		return nil, err
	}
	s, err := configs.LoadShipped(map[string]string{"cuda": "corpus", "cpu": "quickstart"}[device.Backend])
	if err != nil {
		return nil, err
	}
	s.Name, s.Title, s.Path, s.Device = "tune", "What was tuned", "tune", device
	s.Learn, s.Report = configs.Learn{}, configs.Report{}
	s.Protocol.Cache, s.Protocol.Slow, s.Protocol.Finals, s.Protocol.Repeats = t.cache, 2, 4, 0
	s.Search = configs.Search{Strategy: search.Tune, Busy: cmp.Or(t.budget, budgets[device.Backend])}
	if t.all {
		s.Search = configs.Search{Strategy: "grid"}
	}
	// The text, which tells sweeps of one name apart, has no matrices.
	s.Text = fmt.Appendf(nil, "[search]\nstrategy = %q\n[protocol]\ncache = %q\n%s", s.Search.Strategy, t.cache,
		s.Text[bytes.Index(s.Text, []byte("[[kernel]]")):])
	for i := range s.Kernels {
		k := &s.Kernels[i]
		k.Precisions, k.Where = []kernels.Precision{kernels.Precision(t.precision)}, cmp.Or(unlike[k.Kernels[0]], k.Where)
	}
	return s, nil
}

// chosen is the device that is asked for: without a word the first GPU or, if none answers, the processor.
func (t *tuneCommand) chosen(ctx context.Context) (d configs.Device, err error) {
	d.Backend = "cuda"
	index, number := strconv.Atoi(t.device)
	switch {
	case number == nil && index >= 0:
		d.Index = index
	case t.device == "cpu":
		return configs.Device{Backend: "cpu"}, nil
	case t.device != "auto" && t.device != "cuda":
		return d, command.Known("--device", t.device, []string{"auto", "cpu", "cuda", "the number of a GPU"})
	}
	if _, err = hardware.UseGPUs(ctx, &d, 1); err != nil && t.device == "auto" {
		return configs.Device{Backend: "cpu"}, nil
	}
	if err != nil {
		err = command.WithHint(err, "spmvtune doctor says what was found; without --device, tune takes the processor then")
	}
	return d, err
}

// notEmpty refuses a matrix without nonzeros.
func notEmpty(m trial.Matrix) error {
	if m.Features.Nonzeros == 0 {
		return errors.New("it has no nonzeros: there is nothing to compute")
	}
	return nil
}

// note keeps what the answers need of the events of a run.
func (t *tuneCommand) note(e tuner.Event) {
	of := func(hash string) *tuning {
		t.done[hash] = cmp.Or(t.done[hash], &tuning{})
		return t.done[hash]
	}
	switch {
	case e.Matrix != nil && !e.Matrix.Again:
		t.matrices = append(t.matrices, e.Matrix.Matrix)
		t.last = time.Now()
	case e.Searched != nil:
		of(e.Searched.Matrix).end = e.Searched
	case e.Result != nil || e.Rerun != nil:
		r := cmp.Or(e.Result, e.Rerun)
		did := of(r.Matrix)
		if e.Result != nil && r.Status == trial.OK {
			did.measured++
		}
		did.seconds += time.Since(t.last).Seconds()
		t.last = time.Now()
	}
}

// answer measures, answers, and says what failed.
func (t *tuneCommand) answer(ctx context.Context) error {
	parts, _, closeAll, err := t.open(ctx)
	if err != nil {
		return err
	}
	defer closeAll()
	sum, err := t.work(ctx, parts)
	if err != nil {
		return err
	}
	if sum.Interrupted {
		return t.interrupted()
	}
	list, err := t.answers(context.WithoutCancel(ctx))
	if err == nil {
		err = printTuned(t.data, &t.output, list, t.products)
	}
	if err != nil {
		return err
	}
	return t.outcome(sum)
}

// outcome makes an error of matrices that could not be used and of failed trials.
func (t *tuneCommand) outcome(sum tuner.Summary) error {
	unusable := lists.Where(sum.Failures, func(f tuner.Failure) bool { return !f.Measured })
	failures := append(t.without, lists.Of(unusable, func(f tuner.Failure) string {
		return fmt.Sprintf("%s: %v", f.Matrix, hardware.InWords(f.Err))
	})...)
	show.Failures(t.errors, sum.Failed)
	if len(failures) > 0 {
		return command.SomeFailed(errors.New(strings.Join(failures, "\nerror: ")), "")
	}
	return verdict(sum, t.again)
}
