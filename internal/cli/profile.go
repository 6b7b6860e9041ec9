package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spmvtune/configs"
	"spmvtune/internal/base/term"
	"spmvtune/internal/cli/command"
	"spmvtune/internal/cli/hardware"
	"spmvtune/store"
)

// profileCommand is the command profile.
type profileCommand struct {
	where, device, matrix, table string
	script                       bool
}

func newProfile() *cobra.Command {
	var p profileCommand
	cmd := &cobra.Command{
		Use:   "profile [RUN]",
		Short: "Count what kernels do, with a profiler",
		Long: `profile takes the fastest configuration of each kernel on each matrix, computes its products
again under a profiler, and keeps what that counts with the trials: on an NVIDIA GPU Nsight
Compute's ncu, on a processor perf or valgrind. The products are verified, and timings
under the profiler are discarded. The view profile has the counters; the figures
occupancy, warp-efficiency and load-efficiency show them, and the report says by them why a
kernel wins.

--where takes all trials instead that meet an SQL condition on the view results. If only
another user may count, --print prints the commands for them, and --import reads their
output.

` + command.RunHelp,
		Example: `  spmvtune profile
  spmvtune profile results.db --matrix cant
  spmvtune profile results.db --where "kernel = 'csr_light' and matrix = 'cant'"
  spmvtune profile results.db --print > count.sh && sudo sh count.sh > counts.txt
  spmvtune profile results.db --import counts.txt`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: command.CompleteRun,
		RunE:              p.Run,
	}
	f := cmd.Flags()
	f.StringVar(&p.where, "where", "", "which trials, as a condition on the view results")
	f.StringVar(&p.matrix, "matrix", "", "only trials on this matrix")
	f.StringVar(&p.device, "device", "", "only trials on this device")
	f.BoolVar(&p.script, "print", false, "print a shell script that counts with ncu, and count nothing")
	f.StringVar(&p.table, "import", "", "keep what such a script has printed")
	for _, flag := range []string{"where", "matrix", "device", "print"} {
		cmd.MarkFlagsMutuallyExclusive("import", flag)
	}
	command.FlagFile(cmd, "import", "txt")
	return cmd
}

// Run adds a profile to a database.
func (p *profileCommand) Run(cmd *cobra.Command, args []string) (err error) {
	paths, err := command.Databases(cmd, args)
	if err != nil {
		return err
	}
	path := paths[0]
	if _, err := os.Stat(path); err != nil { // Open would make a database
		return err
	}
	db, err := store.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()

	switch {
	case p.table != "":
		return p.imported(cmd.Context(), cmd.OutOrStdout(), db)
	case p.script:
		return p.print(cmd.Context(), cmd.OutOrStdout(), db)
	}
	return p.count(cmd.Context(), cmd.OutOrStdout(), db)
}

// count counts what the chosen trials do, and keeps it.
func (p *profileCommand) count(ctx context.Context, w io.Writer, db *store.DB) error {
	trials, err := p.choose(ctx, w, db)
	if err == nil {
		trials, err = present(ctx, w, db, trials)
	}
	if err != nil {
		return err
	}
	c := counting{db: db, w: w, all: len(trials)}
	for _, group := range together(trials) {
		if err := c.count(ctx, group); err != nil {
			return err
		}
	}
	if len(c.missing) > 0 {
		fmt.Fprintf(w, "note: the profiler does not count %s\n", strings.Join(c.missing, ", "))
	}
	if c.failed > 0 {
		return command.SomeFailed(fmt.Errorf("%s could not be counted", term.Trials(c.failed)), "")
	}
	fmt.Fprintf(w, "%s counted: `%s` prints them, and `%s` shows them\n", term.Trials(len(trials)),
		term.Shell("spmvtune", "query", "--db", db.Path(), "profile"), term.Shell("spmvtune", "report", db.Path()))
	return nil
}

// together groups trials that one process can count: of a device, a matrix and a cache state.
func together(trials []store.Row) (groups [][]store.Row) {
	place := func(t *store.Row) [3]string { return [3]string{t.Device, t.Result.Matrix, string(t.Cache)} }
	index := map[[3]string]int{}
	for i := range trials {
		at, seen := index[place(&trials[i])]
		if !seen {
			at = len(groups)
			index[place(&trials[i])] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], trials[i])
	}
	return groups
}

// A counting is the state of count.
type counting struct {
	db                *store.DB
	w                 io.Writer
	all, done, failed int // numbers of trials
	missing           []string
}

// A counted is what was counted of a trial.
type counted struct {
	store.Counts
	of      string   // The kernel that ratios are of.
	missing []string // What this profiler does not count.
}

// count counts what a group of trials does. If that fails, each is counted alone.
func (c *counting) count(ctx context.Context, group []store.Row) error {
	k, err := definition(ctx, c.db, &group[0])
	if err != nil {
		return err
	}
	list, err := countTogether(ctx, k.Backend, c.db.Path(), group)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, new(*command.Error)): // it is true of all
		return err
	case err != nil && len(group) > 1:
		for i := range group {
			if err := c.count(ctx, group[i:i+1]); err != nil {
				return err
			}
		}
		return nil
	}
	for i := range group {
		t := &group[i]
		if c.done++; err == nil {
			c.missing = list[i].missing
		}
		fmt.Fprintf(c.w, "%d/%d %s: %s", c.done, c.all, t.Matrix, t.Config)
		switch {
		case err != nil:
			c.failed++
			fmt.Fprintf(c.w, ": %v\n", err)
			continue
		case list[i].Counts["launches"] > 1:
			fmt.Fprintf(c.w, ": %g kernels, ratios of %s\n", list[i].Counts["launches"], list[i].of)
		default:
			fmt.Fprintln(c.w)
		}
		if err := c.db.SaveCounts(ctx, map[string]store.Counts{t.ID: list[i].Counts}); err != nil {
			return err
		}
	}
	return nil
}

// countTogether counts what the products of some trials do, in a process that a profiler follows.
func countTogether(ctx context.Context, backend, path string, trials []store.Row) ([]counted, error) {
	switch backend {
	case "cuda":
		return countByNCU(ctx, path, trials)
	case "cpu":
		return countOnCPU(ctx, path, trials)
	default:
		return nil, fmt.Errorf("nothing counts what a %s does", backend)
	}
}

// productLine is the command line of the process that computes the products of trials.
func productLine(backend, path string, trials []store.Row) ([]string, error) {
	program, err := hardware.Program(backend)
	line := []string{program, "product", path}
	for i := range trials {
		line = append(line, trials[i].ID)
	}
	return line, err
}

// choose returns the trials to count: of kernels of the catalogue, and of those whose source the database has. It
// says which are left out.
func (p *profileCommand) choose(ctx context.Context, w io.Writer, db *store.DB) (trials []store.Row, err error) {
	if p.where != "" {
		trials, err = db.Chosen(ctx, p.where)
	} else {
		trials, err = db.Launches(ctx)
	}
	if err != nil {
		return nil, err
	}
	if err := p.named(ctx, db); err != nil {
		return nil, err
	}
	trials = slices.DeleteFunc(trials, func(t store.Row) bool {
		return p.matrix != "" && t.Matrix != p.matrix || p.device != "" && t.Device != p.device
	})
	kept, left := []store.Row(nil), []string(nil)
	for i := range trials {
		switch o, err := definition(ctx, db, &trials[i]); {
		case err != nil:
			return nil, err
		case o != nil && o.Command == nil:
			kept = append(kept, trials[i])
		case !slices.Contains(left, trials[i].Kernel):
			left = append(left, trials[i].Kernel)
		}
	}
	if len(left) > 0 {
		fmt.Fprintf(w, "# not counted: %s: a program, or without a source in the database\n", term.Some(left, 12))
	}
	if len(kept) == 0 {
		return nil, errors.New("no good trial is chosen that can be counted")
	}
	return kept, nil
}

// present leaves out the trials of devices that are not here.
func present(ctx context.Context, w io.Writer, db *store.DB, trials []store.Row) ([]store.Row, error) {
	devices, err := db.Devices(ctx)
	if err != nil {
		return nil, err
	}
	for _, d := range devices {
		of := func(t store.Row) bool { return t.Device == d.Label }
		if !slices.ContainsFunc(trials, of) {
			continue
		}
		why := hardware.Same(ctx, d.Device)
		if why == nil {
			continue
		}
		if trials = slices.DeleteFunc(trials, of); len(trials) == 0 {
			return nil, fmt.Errorf("the trials were measured on %s: %w", d.Label, why)
		}
		fmt.Fprintf(w, "note: trials of %s are left out: %v\n", d.Label, why)
	}
	return trials, nil
}

// named refuses names that the database does not have.
func (p *profileCommand) named(ctx context.Context, db *store.DB) error {
	matrices, err := db.Features(ctx)
	if err != nil {
		return err
	}
	devices, err := db.Devices(ctx)
	if err != nil {
		return err
	}
	var names, labels []string
	for i := range matrices {
		names = append(names, matrices[i].Name)
	}
	for i := range devices {
		labels = append(labels, devices[i].Label)
	}
	if err := known("matrix", p.matrix, names); err != nil {
		return err
	}
	return known("device", p.device, labels)
}

// known refuses a flag's name that is none of these.
func known(flag, name string, names []string) error {
	if name == "" || slices.Contains(names, name) {
		return nil
	}
	available := "available: " + term.Some(names, 12)
	if near := configs.Nearest(name, names); near != "" {
		available = "did you mean " + near + "?"
	}
	return command.Usage(fmt.Errorf("--%s: the database has no %q; %s", flag, name, available))
}
