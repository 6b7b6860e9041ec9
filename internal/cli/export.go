package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spmvtune/internal/base/files"
	"spmvtune/internal/base/term"
	"spmvtune/internal/cli/command"
	"spmvtune/kernels"
	"spmvtune/plots/canvas"
	"spmvtune/store"
	"spmvtune/store/export"
	"spmvtune/tuner/trial"
)

// cacheStates are what --cache chooses. What was imported may not say it.
var cacheStates = []string{string(trial.Warm), string(trial.Cold), string(store.UnknownCache)}

// exportCommand is the command export.
type exportCommand struct {
	format, out string
	filter      store.Filter
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
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: command.CompleteRun,
		RunE:              e.Run,
	}
	f := cmd.Flags()
	f.StringVar(&e.format, "format", "", strings.Join(export.Names(), ", ")+" (default: by the extension of -o, else csv)")
	f.StringVarP(&e.out, "out", "o", "", "file to write, or a folder (default: standard output)")
	f.StringVar(&e.filter.Device, "device", "", "only the trials on this device")
	f.StringVar(&e.filter.Matrix, "matrix", "", "only those on this matrix")
	f.StringVar(&e.filter.Kernel, "kernel", "", "only those of this kernel")
	f.StringVar(&e.filter.Sweep, "sweep", "", "only those of this sweep")
	f.StringVar((*string)(&e.filter.Precision), "precision", "", "only those in float32 or float64")
	f.StringVar((*string)(&e.filter.Cache), "cache", "", "only warm or cold ones, or those where it is unknown")
	command.FlagValues(cmd, "format", export.Names()...)
	command.FlagValues(cmd, "precision", string(kernels.Float32), string(kernels.Float64))
	command.FlagValues(cmd, "cache", cacheStates...)
	return cmd
}

// Run writes the file.
func (e *exportCommand) Run(cmd *cobra.Command, args []string) error {
	format, err := e.chosen()
	if err != nil {
		return err
	}
	w := cmd.OutOrStdout()
	if format.Binary {
		w = term.Raw(w)
	}
	if format.Binary && e.out == "" && term.SizeOf(w) != nil {
		return command.Usage(fmt.Errorf("%s is not for a terminal: name a file with -o", format.Name))
	}
	db, path, err := command.DatabaseArg(cmd, args)
	if err != nil {
		return err
	}
	defer db.Close()
	ctx := cmd.Context()
	places, err := db.Places(ctx, e.filter)
	if err != nil {
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
func (e *exportCommand) chosen() (export.Format, error) {
	for _, c := range []struct {
		what, value string
		valid       []string
	}{
		{"precision", string(e.filter.Precision), []string{string(kernels.Float32), string(kernels.Float64)}},
		{"cache state", string(e.filter.Cache), cacheStates},
	} {
		if c.value != "" && !slices.Contains(c.valid, c.value) {
			return export.Format{}, command.Unknown(c.what, c.what+"s", c.value, c.valid, "spmvtune export --help")
		}
	}
	name := e.format
	if name == "" {
		name = "csv"
		if extension := strings.TrimPrefix(filepath.Ext(e.out), "."); slices.Contains(export.Names(), extension) {
			name = extension
		}
	}
	format, ok := export.Named(name)
	if !ok {
		return format, command.Unknown("format", "formats", name, export.Names(), "spmvtune export --help")
	}
	return format, nil
}

// write writes the trials that a filter chooses, and says what it left out.
func (e *exportCommand) write(ctx context.Context, w, notes io.Writer, db *store.DB, format export.Format,
	f store.Filter) error {
	n, err := format.Write(ctx, w, db, f)
	if err == nil && n.LeftOut > 0 {
		fmt.Fprintf(notes, "note: %s without a time: %s has no room for them\n", term.Trials(n.LeftOut), format.Name)
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
	return command.UsageHint(fmt.Errorf("a file of %s has one device, matrix, precision and cache state; these are %d",
		format.Name, len(places)), "give a folder, as in -o files/, or choose one:"+lines)
}
