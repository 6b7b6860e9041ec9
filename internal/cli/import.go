package cli

import (
	"cmp"
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

	"spmvtune/internal/base/term"
	"spmvtune/internal/cli/command"
	"spmvtune/internal/job"
	"spmvtune/kernels"
	"spmvtune/store"
	"spmvtune/store/importer"
	"spmvtune/tuner/trial"
)

// importCommand is the command import.
type importCommand struct {
	features, out, precision, cache string
	importer.Options
}

func newImport() *cobra.Command {
	var i importCommand
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Import measurements that were taken elsewhere, from CSV, Kernel Tuner or nvbench",
		Long: `import reads a table of measured times and writes them into a new database, for best,
learn, report and query. Each row has a matrix, its features (at least rows, cols and
nonzeros; or --features names a second table with them), a kernel, and a time: time_s,
time_ms, time_us, time_ns or gflops. It may have device, precision, cache, block, grid,
params and class. Several rows of the same configuration are repeated runs: their median
counts. FILE may also be a cache of Kernel Tuner, or what nvbench writes with --json.

Imported results are not verified. Their device is called "NAME (imported)", and the
message of each trial names its line in the file. A mistake in any row is an error, and
nothing is written.`,
		Example: `  spmvtune import runs.csv --device "NVIDIA A100" --precision float64
  spmvtune import runs.csv --features matrices.tsv --column rows=nr_rows,cols=nr_cols,nonzeros=nr_nzeros
  spmvtune import cache.json --matrix delaunay_n23 --features matrices.csv --precision float32
  spmvtune import nvbench.json --features matrices.csv --column matrix=Input,block=BlockSize,precision=T
  spmvtune learn spmvtune-out/runs/results.db`,
		Args:              command.Needs("a table: a CSV file, or JSON of Kernel Tuner or nvbench"),
		ValidArgsFunction: command.CompleteFile("csv", "tsv", "json"),
		RunE:              i.Run,
	}
	f := cmd.Flags()
	f.StringVar(&i.features, "features", "", "a second table with the features of each matrix")
	f.StringToStringVar(&i.Columns, "column", nil, "name of a column in the files: NAME=THEIRS")
	f.StringVar(&i.Matrix, "matrix", "", "measured matrix, if no column names it")
	f.StringVar(&i.Device, "device", "", "measured device, if no column names it")
	f.StringVar(&i.precision, "precision", "", "float32 or float64, if no column says it")
	f.StringVar(&i.cache, "cache", "", "warm or cold, if no column says it (default: unknown)")
	f.StringVarP(&i.out, "out", "o", "", "folder to write to (default: "+filepath.Join(command.OutRoot(), "FILE")+")")
	command.FlagFile(cmd, "features", "csv", "tsv")
	command.FlagFile(cmd, "out")
	command.FlagValues(cmd, "precision", string(kernels.Float32), string(kernels.Float64))
	command.FlagValues(cmd, "cache", string(trial.Warm), string(trial.Cold))
	return cmd
}

// Run imports a table.
func (i *importCommand) Run(cmd *cobra.Command, args []string) error {
	i.Precision, i.Cache = kernels.Precision(i.precision), trial.Cache(i.cache)
	if _, err := precisionsNamed(i.precision); err != nil {
		return err
	}
	if i.cache != "" && i.Cache != trial.Warm && i.Cache != trial.Cold {
		return command.Usage(fmt.Errorf("unknown cache state %q: must be warm or cold", i.cache))
	}

	path := args[0]
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	out := cmp.Or(i.out, filepath.Join(command.OutRoot(), name))
	database := filepath.Join(out, job.DatabaseFile)
	if _, err := os.Lstat(database); err == nil {
		return command.WithHint(fmt.Errorf("%s exists already", database),
			"--out names another folder; learn takes several databases")
	}

	m, err := i.read(path)
	if err != nil {
		return command.WithHint(err, "nothing was imported; docs/import.md has the format")
	}
	if err := recordForeign(cmd.Context(), m, name, database); err != nil {
		return err
	}
	return printImported(cmd.OutOrStdout(), m, database)
}

// read reads the table, and the second table if there is one.
func (i *importCommand) read(path string) (*importer.Measurements, error) {
	times, err := importer.Open(path)
	if err != nil {
		return nil, err
	}
	if i.features == "" {
		return importer.Read(times, nil, i.Options)
	}
	features, err := importer.Open(i.features)
	if err != nil {
		return nil, err
	}
	return importer.Read(times, &features, i.Options)
}

// recordForeign makes a database that appears whole or not at all.
func recordForeign(ctx context.Context, m *importer.Measurements, name, database string) error {
	folder := filepath.Dir(database)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	unfinished, err := os.MkdirTemp(folder, ".tmp-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(unfinished)

	part := filepath.Join(unfinished, job.DatabaseFile)
	db, err := store.Open(part)
	if err != nil {
		return err
	}
	err = m.Record(ctx, db, name, time.Now())
	if err == nil {
		_, err = db.DecideTies(ctx)
	}
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}

	return os.Rename(part, database)
}

// printImported says what was imported, and what was ignored.
func printImported(w io.Writer, m *importer.Measurements, database string) error {
	var devices, kernels []string
	runs := 0
	for _, t := range m.Times {
		devices, kernels = append(devices, importer.DeviceName(t.Device)), append(kernels, t.Kernel)
		runs += len(t.Runs)
	}

	slices.Sort(devices)
	slices.Sort(kernels)
	fmt.Fprintf(w, "%s: %s of %s on %s, from %s, not verified here\n", strings.Join(slices.Compact(devices), ", "),
		term.Count(len(m.Times), "time", "times"), term.Count(len(slices.Compact(kernels)), "kernel", "kernels"),
		term.Matrices(len(m.Matrices)), term.Count(runs, "row", "rows"))
	if len(m.Unused) > 0 {
		term.Print(w, "note: ignored columns: "+strings.Join(m.Unused, ", "))
	}
	if m.Failed > 0 {
		fmt.Fprintf(w, "note: %s without a time left out\n", term.Count(m.Failed, "configuration", "configurations"))
	}
	_, err := fmt.Fprintf(w, "database: %s\n", database)
	return err
}
