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
	"spmvtune/internal/cli/command"
	"spmvtune/internal/term"
	"spmvtune/store"
	"spmvtune/store/foreign"
)

// profileCommand is the command profile.
type profileCommand struct{ db, device, matrix string }

func newProfile() *cobra.Command {
	var p profileCommand
	cmd := &cobra.Command{
		Use:   "profile FILE",
		Short: "Add what Nsight Compute counted to a database",
		Long: `profile reads what Nsight Compute's ncu has written about a run on one matrix. It keeps
achieved occupancy, warp execution efficiency and global load efficiency with the trials
of the same kernel, precision, block, grid and shared memory. The figures occupancy,
warp-efficiency and load-efficiency show them, and the view profile has them. Times are not
taken from a profiled run: profiling slows it down.

This makes the file:

  ` + strings.ReplaceAll(ncuCommand, "\n", "\n  ") + `

SWEEP is a copy of the sweep with a single matrix. A mistake in any row is an error, and
nothing is kept.`,
		Example:           `  spmvtune profile ncu.csv --db spmvtune-out/csr-five/results.db --matrix cant`,
		Args:              command.Needs("a table: the output of ncu --csv"),
		ValidArgsFunction: command.CompleteFile("csv"),
		RunE:              p.Run,
	}
	f := cmd.Flags()
	f.StringVar(&p.db, "db", "", "results database (default: the only one below "+command.OutRoot+")")
	f.StringVar(&p.matrix, "matrix", "", "the matrix of the profiled run (default: the only one in the database)")
	f.StringVar(&p.device, "device", "", "the device of the profiled run (default: the only one in the database)")
	command.FlagFile(cmd, "db", "db")
	return cmd
}

// ncuCommand makes the table. It does not profile the gate and the measurement of the device's
// bandwidth; and one launch of a trial is enough.
const ncuCommand = `LC_ALL=C ncu --csv --log-file ncu.csv --target-processes all --clock-control none \
  --kernel-name 'regex:^(coo|csr|sell)_' --filter-mode per-launch-config --launch-count 1 \
  --metrics ` + foreign.Metrics + ` \
  spmvtune run SWEEP --out profiled --no-report`

// Run adds a profile to a database.
func (p *profileCommand) Run(cmd *cobra.Command, args []string) (err error) {
	if p.db == "" {
		again := func(path string) string { return command.Again(cmd, "--db", path, args[0]) }
		if p.db, err = command.OnlyDatabase(again); err != nil {
			return err
		}
	}

	file, err := foreign.Open(args[0])
	if err != nil {
		return err
	}
	launches, err := foreign.ReadProfile(file)
	if err != nil {
		return command.WithHint(err, "nothing was kept; docs/profiling.md has the command that makes the file")
	}

	if _, err := os.Stat(p.db); err != nil { // Open would make a database
		return err
	}
	db, err := store.Open(p.db)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return p.add(cmd.Context(), cmd.OutOrStdout(), db, args[0], launches)
}

// add keeps what was counted of launches with the trials that they belong to.
func (p *profileCommand) add(
	ctx context.Context, w io.Writer, db *store.DB, path string, launches []foreign.Launch,
) error {
	m, device, err := p.subject(ctx, db)
	if err != nil {
		return err
	}
	trials, err := db.Countables(ctx, device, m.Name)
	if err != nil {
		return err
	}
	counts, left := foreign.Match(launches, m, trials)
	if len(counts) == 0 {
		l := launches[0]
		return command.WithHint(fmt.Errorf(
			"no launch in %s belongs to a trial on %s, %s: "+
				"the first is of %s with block %d, grid %d and %d bytes of shared memory",
			path, m.Name, device, l.Entry, l.Block, l.Grid, l.Shared),
			"profile the kernels, blocks and grids that the database has")
	}
	if err := db.SaveCounts(ctx, counts); err != nil {
		return err
	}

	fmt.Fprintf(w, "%d of %s on %s, %s, have a profile, from %s\n", len(counts),
		term.Count(len(trials), "good trial", "good trials"),
		m.Name, device, term.Count(len(launches)-left, "launch", "launches"))
	if left > 0 {
		fmt.Fprintf(w, "note: %s to no such trial\n",
			term.Count(left, "launch of the file belongs", "launches of the file belong"))
	}
	return nil
}

// subject is the matrix and the device that were profiled.
func (p *profileCommand) subject(ctx context.Context, db *store.DB) (m store.Matrix, device string, err error) {
	matrices, err := db.Features(ctx)
	if err != nil {
		return m, "", err
	}
	devices, err := db.Devices(ctx)
	if err != nil {
		return m, "", err
	}

	names := make([]string, len(matrices))
	for i := range matrices {
		names[i] = matrices[i].Name
	}

	labels := make([]string, len(devices))
	for i := range devices {
		labels[i] = devices[i].Label
	}

	i, err := chosen("matrix", p.matrix, names)
	if err != nil {
		return m, "", err
	}
	j, err := chosen("device", p.device, labels)
	if err != nil {
		return m, "", err
	}

	return matrices[i], labels[j], nil
}

// chosen finds the name that a flag gives, or the only name there is.
func chosen(flag, name string, names []string) (int, error) {
	if name == "" && len(names) == 1 {
		return 0, nil
	}
	if i := slices.Index(names, name); i >= 0 {
		return i, nil
	}
	if len(names) == 0 {
		return 0, fmt.Errorf("the database has no %s: run or import the profiled sweep first", flag)
	}
	available := "available: " + term.Some(names, 12)
	if name == "" {
		return 0, command.Usage(fmt.Errorf("--%s must name the %s of the profiled run; %s", flag, flag, available))
	}
	if near := configs.Nearest(name, names); near != "" {
		available = "did you mean " + near + "?"
	}
	return 0, command.Usage(fmt.Errorf("--%s: the database has no %q; %s", flag, name, available))
}
