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

// profiling are the flags of profile.
type profiling struct{ db, device, matrix string }

func newProfile() *cobra.Command {
	var p profiling
	cmd := &cobra.Command{
		Use:   "profile FILE",
		Short: "Add what Nsight Compute counted to a database",
		Long: `profile reads what Nsight Compute's ncu has written about a run on one matrix, and keeps
achieved occupancy, warp execution efficiency and global load efficiency with the trials
that launch the same: kernel, precision, block, grid and shared memory. The figures
occupancy, warp-efficiency and load-efficiency are drawn from them, and the view profile
has them. Times are not taken from a profiled run: profiling slows it.

The file is made by

  ` + strings.ReplaceAll(ncuCommand, "\n", "\n  ") + `

where SWEEP is a copy of the sweep with a single matrix. A mistake in any row is an
error, and nothing is kept.`,
		Example:           `  spmvtune profile ncu.csv --db spmvtune-out/csr-five/results.db --matrix cant`,
		Args:              command.Needs("a table: what ncu --csv has written"),
		ValidArgsFunction: command.CompleteFile("csv"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if p.db == "" {
				name, err := command.OnlyDatabase(func(path string) string { return command.Again(cmd, append([]string{"--db", path}, args...)...) })
				if err != nil {
					return err
				}
				p.db = name
			}
			return p.run(cmd.Context(), cmd.OutOrStdout(), args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&p.db, "db", "", "results database (default: the only one below "+command.OutRoot+")")
	f.StringVar(&p.matrix, "matrix", "", "the matrix of the profiled run (default: the only one in the database)")
	f.StringVar(&p.device, "device", "", "the device of the profiled run (default: the only one in the database)")
	command.FlagFile(cmd, "db", "db")
	return cmd
}

// ncuCommand makes the table. The gate, and what measures the device's bandwidth, are not
// profiled; and of the launches of a trial one is enough.
const ncuCommand = `LC_ALL=C ncu --csv --log-file ncu.csv --target-processes all --clock-control none \
  --kernel-name 'regex:^(coo|csr|sell)_' --filter-mode per-launch-config --launch-count 1 \
  --metrics ` + foreign.Metrics + ` \
  spmvtune run SWEEP --out profiled --no-report`

func (p *profiling) run(ctx context.Context, w io.Writer, path string) (err error) {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	launches, err := foreign.ReadProfile(foreign.File{Name: path, Content: file})
	if err != nil {
		return command.WithHint(err, "nothing was kept; docs/profiling.md has the command that makes the file")
	}
	if _, err := os.Stat(p.db); err != nil { // Open would make one
		return err
	}
	db, err := store.Open(p.db)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	m, device, err := p.place(ctx, db)
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
		return command.WithHint(fmt.Errorf("no launch in %s is one of a trial on %s, %s: the first is of %s with block %d, grid %d and %d bytes of shared memory",
			path, m.Name, device, l.Entry, l.Block, l.Grid, l.Shared), "profile the kernels, blocks and grids that the database has")
	}
	if err := db.SaveCounts(ctx, counts); err != nil {
		return err
	}
	fmt.Fprintf(w, "%d of %s on %s, %s, have a profile, from %s\n", len(counts), term.Count(len(trials), "good trial", "good trials"),
		m.Name, device, term.Count(len(launches)-left, "launch", "launches"))
	if left > 0 {
		fmt.Fprintf(w, "note: %s in %s of no such trial\n", term.Count(left, "launch is", "launches are"), path)
	}
	return nil
}

// place is where the run was profiled.
func (p *profiling) place(ctx context.Context, db *store.DB) (m store.Matrix, device string, err error) {
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
	i, err := chosen("matrix", p.matrix, names)
	if err != nil {
		return m, "", err
	}
	labels := make([]string, len(devices))
	for i := range devices {
		labels[i] = devices[i].Label
	}
	j, err := chosen("device", p.device, labels)
	if err != nil {
		return m, "", err
	}
	return matrices[i], labels[j], nil
}

// chosen finds the name that a flag gives, or the only one there is.
func chosen(flag, name string, names []string) (int, error) {
	if name == "" && len(names) == 1 {
		return 0, nil
	}
	if i := slices.Index(names, name); i >= 0 {
		return i, nil
	}
	if len(names) == 0 {
		return 0, fmt.Errorf("the database has no %s: run or import what is to be profiled first", flag)
	}
	const listed = 12
	there := "there are " + strings.Join(names[:min(len(names), listed)], ", ")
	if more := len(names) - listed; more > 0 {
		there += fmt.Sprintf(" and %d more", more)
	}
	if name == "" {
		return 0, command.Usage(fmt.Errorf("--%s is to name the %s of the profiled run: %s", flag, flag, there))
	}
	if near := configs.Nearest(name, names); near != "" {
		there = "did you mean " + near + "?"
	}
	return 0, command.Usage(fmt.Errorf("--%s: the database has no %q: %s", flag, name, there))
}
