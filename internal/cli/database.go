// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/files"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/cli/command"
	"example.org/spmvtune/internal/cli/show"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/plots/canvas"
	"example.org/spmvtune/store"
	"example.org/spmvtune/store/export"
	"example.org/spmvtune/store/importer"
	"example.org/spmvtune/tuner/trial"
)

// importCommand is the command import.
type importCommand struct {
	features, out string
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
counts. FILE may also be a cache of Kernel Tuner, T4, or what nvbench writes with --json;
each may be compressed by gzip.

Imported results are not verified. Their device is called "NAME (imported)", and the
message of each trial names its line or entry in the file. A mistake in any row is an error, and
nothing is written.`,
		Example: `  spmvtune import runs.csv --device "NVIDIA A100" --precision float64
  spmvtune import runs.csv --features matrices.tsv --column rows=nr_rows,cols=nr_cols,nonzeros=nr_nzeros
  spmvtune import cache.json --matrix delaunay_n23 --features matrices.csv --precision float32
  spmvtune import nvbench.json --features matrices.csv --column matrix=Input,block=BlockSize,precision=T
  spmvtune learn spmvtune-out/runs/results.db`,
		Args:              command.Needs("a table: a CSV file, or JSON of Kernel Tuner or nvbench"),
		ValidArgsFunction: command.CompleteFile("csv", "tsv", "json", "gz"),
		RunE:              i.Run,
	}
	f := cmd.Flags()
	f.StringVar(&i.features, "features", "", "a second table with the features of each matrix")
	f.StringToStringVar(&i.Columns, "column", nil, "name of a column in the files: NAME=THEIRS")
	f.StringVar(&i.Matrix, "matrix", "", "measured matrix, if no column names it")
	f.StringVar(&i.Kernel, "kernel", "", "measured kernel, if no column names it")
	f.StringVar(&i.Device, "device", "", "measured device, if no column names it")
	command.FlagWord(cmd, (*string)(&i.Precision), "precision", "precision", "float32 or float64, if no column says it",
		precisions...)
	command.FlagWord(cmd, (*string)(&i.Cache), "cache", "cache state",
		"warm or cold, if no column says it (default: unknown)", cacheStates[:2]...)
	f.StringVarP(&i.out, "out", "o", "", "folder to write to (default: "+filepath.Join(command.OutRoot(), "FILE")+")")
	command.FlagFile(cmd, "features", "csv", "tsv")
	command.FlagFile(cmd, "out")
	return cmd
}

// Run imports a table.
func (i *importCommand) Run(cmd *cobra.Command, args []string) error {
	path := args[0]
	base := strings.TrimSuffix(filepath.Base(path), ".gz")
	name := strings.TrimSuffix(base, filepath.Ext(base))
	out := cmp.Or(i.out, filepath.Join(command.OutRoot(), name))
	database := filepath.Join(out, analysis.DatabaseFile)
	if _, err := os.Lstat(database); err == nil {
		return command.WithHint(fmt.Errorf("%s exists already", database),
			"--out names another folder; learn takes several databases")
	}

	m, err := i.read(path)
	if err != nil {
		return command.WithHint(err, "nothing was imported; docs/exchange.md has the format")
	}
	if err := recordForeign(cmd.Context(), m, name, database, show.NewStages(cmd.ErrOrStderr())); err != nil {
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
func recordForeign(ctx context.Context, m *importer.Measurements, name, database string, stages *show.Stages) error {
	defer stages.Clear()
	folder := filepath.Dir(database)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	unfinished, err := files.NewScratch(folder, files.Temporary)
	if err != nil {
		return err
	}
	defer unfinished.Remove()

	part := filepath.Join(unfinished.Path(), analysis.DatabaseFile)
	db, err := store.Open(part)
	if err != nil {
		return err
	}
	err = m.Record(ctx, db, name, time.Now(), func(done int) { stages.At("importing", done, len(m.Times)) })
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
	runs := lists.Sum(m.Times, func(t importer.Time) int { return len(t.Runs) })
	devices := lists.Distinct(m.Times, func(t importer.Time) string { return importer.DeviceName(t.Device) })
	kernels := lists.Distinct(m.Times, func(t importer.Time) string { return t.Kernel })
	slices.Sort(devices)
	fmt.Fprintf(w, "%s: %s of %s on %s, from %s, not verified here\n", term.Some(devices, command.FewNames),
		term.Count(len(m.Times), "time", "times"), term.Count(len(kernels), "kernel", "kernels"),
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

// precisions are what --precision chooses.
var precisions = []string{string(kernels.Float32), string(kernels.Float64)}

// cacheStates are what --cache chooses. What was imported may not say it.
var cacheStates = []string{string(trial.Warm), string(trial.Cold), string(store.UnknownCache)}

// exportCommand is the command export.
type exportCommand struct {
	format, out string
	filter      export.Selection
}

func newExport() *cobra.Command {
	var e exportCommand
	about := ""
	for _, f := range export.Formats {
		about += fmt.Sprintf("  %-17s%s\n", f.Name, f.About)
	}
	cmd := &cobra.Command{
		Use:   "export [RUN]",
		Short: "Write results in the format of another tool",
		Long: `export writes the trials of a database in a format that other tools read:

` + about + `
docs/exchange.md says what is in each, and with which command its tool reads it. Flags choose
trials. t4, t1 and kernel-tuner have the trials of one device, matrix, precision and cache
state in a file; with a folder for -o, each such place gets a file.

` + command.RunHelp,
		Example: `  spmvtune export --format parquet -o results.parquet
  spmvtune export results/a30/results.db --format benchstat > a30.txt
  spmvtune export --format kernel-tuner --matrix delaunay_n23 -o cache.json`,
	}
	command.WithDatabase(cmd, e.Run)
	f := cmd.Flags()
	command.FlagWord(cmd, &e.format, "format", "format",
		strings.Join(export.Names(), ", ")+" (default: by the extension of -o, else csv)", export.Names()...)
	f.StringVarP(&e.out, "out", "o", "", "file to write, or a folder (default: standard output)")
	f.BoolVar(&e.filter.Features, "features", false, "also the features of the matrix, in tables")
	flagFilter(cmd, &e.filter.Filter)
	return cmd
}

// flagFilter adds flags that choose trials of a database.
func flagFilter(cmd *cobra.Command, f *store.Filter) {
	flags := cmd.Flags()
	flags.StringVar(&f.Device, "device", "", "only the trials on this device")
	flags.StringVar(&f.Matrix, "matrix", "", "only those on this matrix")
	flags.StringVar(&f.Kernel, "kernel", "", "only those of this kernel")
	flags.StringVar(&f.Sweep, "sweep", "", "only those of this sweep")
	command.FlagWord(cmd, (*string)(&f.Precision), "precision", "precision", "only those in float32 or float64",
		precisions...)
	command.FlagWord(cmd, (*string)(&f.Cache), "cache", "cache state",
		"only warm or cold ones, or those where it is unknown", cacheStates...)
	completeNames(cmd, slices.Collect(maps.Keys(named(store.Filter{})))...)
}

// named are the names in a filter, by flags, which are called as tables of a database are, and columns of its views.
func named(f store.Filter) map[string]string {
	return map[string]string{"device": f.Device, "matrix": f.Matrix, "kernel": f.Kernel, "sweep": f.Sweep}
}

// checkFilter says which name of a filter the database does not have.
func checkFilter(ctx context.Context, db *store.DB, f store.Filter) error {
	given := named(f)
	for _, flag := range slices.Sorted(maps.Keys(given)) {
		if given[flag] == "" {
			continue
		}
		names, err := db.Names(ctx, flag)
		if err = cmp.Or(err, command.Known(flag, given[flag], names)); err != nil {
			return err
		}
	}
	return nil
}

// completeNames completes flags, which are called as those of a filter, with the names in the databases that the command
// would read.
func completeNames(cmd *cobra.Command, flags ...string) {
	for _, flag := range flags {
		command.FlagNames(cmd, flag, cobra.ShellCompDirectiveNoFileComp,
			func(args []string) []string { return namesIn(cmd, args, flag) })
	}
}

// namesIn are the names that a flag of a filter takes in the databases of these runs, as far as they can be read.
func namesIn(cmd *cobra.Command, runs []string, flag string) (names []string) {
	paths, _ := command.Databases(cmd, runs)
	for _, path := range paths {
		if db, err := store.OpenReadOnly(path); err == nil {
			has, _ := db.Names(cmd.Context(), flag)
			names = append(names, has...)
			db.Close()
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Run writes the file.
func (e *exportCommand) Run(cmd *cobra.Command, db *store.DB, path string) error {
	format := e.chosen()
	w := cmd.OutOrStdout()
	if format.Binary {
		w = term.Raw(w)
	}
	if format.Binary && e.out == "" && term.SizeOf(w) != nil {
		return command.Usage(fmt.Errorf("%s is not for a terminal: name a file with -o", format.Name))
	}
	ctx := cmd.Context()
	places, err := db.Places(ctx, e.filter.Filter)
	if err = cmp.Or(err, checkFilter(ctx, db, e.filter.Filter)); err != nil {
		return err
	}
	if len(places) == 0 {
		return command.WithHint(fmt.Errorf("%s has no such trials", path), "spmvtune best names devices and matrices")
	}

	if info, err := os.Stat(e.out); strings.HasSuffix(e.out, "/") || err == nil && info.IsDir() {
		return e.folder(ctx, cmd.ErrOrStderr(), db, format, places)
	}
	if format.OnePlace && len(places) > 1 {
		return onePlace(format, places)
	}
	write := func(w io.Writer) error { return e.write(ctx, w, cmd.ErrOrStderr(), db, format, e.filter) }
	if e.out == "" {
		return write(w)
	}
	return files.WriteTo(e.out, write)
}

// chosen returns the format that is asked for.
func (e *exportCommand) chosen() export.Format {
	format, _ := export.Named(cmp.Or(e.format, "csv"))
	if named, is := export.Named(strings.TrimPrefix(filepath.Ext(e.out), ".")); is && e.format == "" {
		format = named
	}
	return format
}

// write writes the trials that a filter chooses, and says what it left out.
func (e *exportCommand) write(ctx context.Context, w, notes io.Writer, db *store.DB, format export.Format,
	f export.Selection) error {
	leftOut, err := format.Write(ctx, w, db, f)
	if err == nil && leftOut > 0 {
		fmt.Fprintf(notes, "note: %s without a time: %s cannot represent them\n", term.Trials(leftOut), format.Name)
	}
	return err
}

// folder writes a file for each place.
func (e *exportCommand) folder(ctx context.Context, notes io.Writer, db *store.DB, format export.Format,
	places []trial.Case) error {
	if err := os.MkdirAll(e.out, 0o777); err != nil {
		return err
	}
	used := map[string]int{}
	for _, p := range places {
		p.Cache = cmp.Or(p.Cache, store.UnknownCache)
		name := canvas.Slug(p.Device, p.Matrix, string(p.Precision), string(p.Cache))
		if used[name]++; used[name] > 1 {
			name = fmt.Sprintf("%s-%d", name, used[name])
		}
		f := e.filter
		f.Device, f.Matrix, f.Precision, f.Cache = p.Device, p.Matrix, p.Precision, p.Cache
		err := files.WriteTo(filepath.Join(e.out, name+format.Extension), func(w io.Writer) error {
			return e.write(ctx, w, notes, db, format, f)
		})
		if err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(notes, "%s: %s\n", e.out, term.Count(len(places), "file", "files"))
	return err
}

// onePlace asks for one of several places.
func onePlace(format export.Format, places []trial.Case) error {
	lines := ""
	const most = 6
	for _, p := range places[:min(len(places), most)] {
		lines += "\n  " + term.Shell("--device", p.Device, "--matrix", p.Matrix, "--precision", string(p.Precision),
			"--cache", string(cmp.Or(p.Cache, store.UnknownCache)))
	}
	if more := len(places) - most; more > 0 {
		lines += fmt.Sprintf("\n  and %d more", more)
	}
	return command.UsageHint(fmt.Errorf("a file of %s has one device, matrix, precision and cache state; your selection has %d",
		format.Name, len(places)), "give a folder, as in -o files/, or choose one:"+lines)
}
