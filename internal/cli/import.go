package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"spmvtune/internal/cli/command"
	"spmvtune/internal/job"
	"spmvtune/internal/term"
	"spmvtune/kernels"
	"spmvtune/store"
	"spmvtune/store/foreign"
	"spmvtune/tuner/trial"
)

// imports are the flags of import.
type imports struct {
	features, out, precision, cache string
	foreign.Options
}

func newImport() *cobra.Command {
	var f imports
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Read measurements that were taken elsewhere, from a CSV file",
		Long: `import reads a table of times that somebody else has measured, and writes them into a
new database, for best, learn, report and query. Each row has a matrix, its features
(rows, cols and nonzeros at least; or --features names a second table with them), a
kernel, and a time: time_s, time_ms, time_us, time_ns or gflops. Device, precision,
cache, block, grid, params and class may be there. Several rows of the same
configuration are repeated runs: the median counts.

What is imported was not verified here. Its device is called "NAME (imported)", and the
message of each trial has the line that it comes from. A mistake in any row is an error,
and nothing is written.`,
		Example: `  spmvtune import runs.csv --device "NVIDIA A100" --precision float64
  spmvtune import runs.csv --features matrices.tsv --column rows=nr_rows,cols=nr_cols,nonzeros=nr_nzeros
  spmvtune learn spmvtune-out/runs/results.db`,
		Args:              command.Needs("a table: a CSV file"),
		ValidArgsFunction: command.CompleteFile("csv", "tsv"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), cmd.OutOrStdout(), args[0])
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.features, "features", "", "a second table with the features of each matrix")
	flags.StringToStringVar(&f.Columns, "column", nil, "what a column is called in the files: NAME=THEIRS")
	flags.StringVar(&f.Device, "device", "", "device that was measured on, where no column says it")
	flags.StringVar(&f.precision, "precision", "", "float32 or float64, where no column says it")
	flags.StringVar(&f.cache, "cache", "", "warm or cold, where no column says it (default: not known)")
	flags.StringVarP(&f.out, "out", "o", "", "folder to write to (default: "+filepath.Join(command.OutRoot, "FILE")+")")
	command.FlagFile(cmd, "features", "csv", "tsv")
	command.FlagFile(cmd, "out")
	command.FlagValues(cmd, "precision", string(kernels.Float32), string(kernels.Float64))
	command.FlagValues(cmd, "cache", string(trial.Warm), string(trial.Cold))
	return cmd
}

func (f *imports) run(ctx context.Context, w io.Writer, path string) error {
	f.Precision, f.Cache = kernels.Precision(f.precision), trial.Cache(f.cache)
	if f.precision != "" {
		if _, err := choosePrecisions(f.precision); err != nil {
			return err
		}
	}
	if f.cache != "" && f.Cache != trial.Warm && f.Cache != trial.Cold {
		return command.Usage(fmt.Errorf("unknown cache state %q: it is warm or cold", f.cache))
	}
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	out := f.out
	if out == "" {
		out = filepath.Join(command.OutRoot, name)
	}
	database := filepath.Join(out, job.DatabaseFile)
	if _, err := os.Lstat(database); err == nil {
		return command.WithHint(fmt.Errorf("%s is there already", database), "--out names another folder; learn takes several databases")
	}
	m, err := f.read(path)
	if err != nil {
		return command.WithHint(err, "nothing was imported; docs/import.md has the format")
	}
	if err := recordForeign(ctx, m, name, out, database); err != nil {
		return err
	}
	return printImported(w, m, database)
}

// read reads the table, and the second one if there is one.
func (f *imports) read(path string) (*foreign.Measurements, error) {
	times, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer times.Close()
	if f.features == "" {
		return foreign.Read(foreign.File{Name: path, Content: times}, nil, f.Options)
	}
	features, err := os.Open(f.features)
	if err != nil {
		return nil, err
	}
	defer features.Close()
	return foreign.Read(foreign.File{Name: path, Content: times}, &foreign.File{Name: f.features, Content: features}, f.Options)
}

// recordForeign makes a database that appears whole or not at all.
func recordForeign(ctx context.Context, m *foreign.Measurements, name, out, database string) error {
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(out, ".tmp-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	part := filepath.Join(dir, job.DatabaseFile)
	db, err := store.Open(part)
	if err != nil {
		return err
	}
	err = m.Record(ctx, db, name, time.Now())
	if err == nil {
		_, err = db.Settle(ctx)
	}
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	return os.Rename(part, database)
}

// printImported says what was taken, and what not.
func printImported(w io.Writer, m *foreign.Measurements, database string) error {
	var devices, kernels []string
	runs := 0
	for _, t := range m.Times {
		devices, kernels = append(devices, foreign.DeviceName(t.Device)), append(kernels, t.Kernel)
		runs += len(t.Runs)
	}
	slices.Sort(devices)
	slices.Sort(kernels)
	fmt.Fprintf(w, "%s: %s of %s on %s, from %s, not verified here\n", strings.Join(slices.Compact(devices), ", "),
		term.Count(len(m.Times), "time", "times"), term.Count(len(slices.Compact(kernels)), "kernel", "kernels"), term.Matrices(len(m.Matrices)),
		term.Count(runs, "row", "rows"))
	if len(m.Unused) > 0 {
		fmt.Fprintln(w, term.Wrap("note: columns that were not used: "+strings.Join(m.Unused, ", "), term.PageWidth-2, "  "))
	}
	_, err := fmt.Fprintf(w, "database: %s\n", database)
	return err
}
