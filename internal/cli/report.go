// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/cli/command"
	"example.org/spmvtune/internal/cli/show"
	"example.org/spmvtune/plots"
	"example.org/spmvtune/plots/figure"
)

// reportCommand is the command report.
type reportCommand struct {
	plots.Options
	paper     string
	published bool
	output    command.Output
}

func newReport() *cobra.Command {
	var r reportCommand
	cmd := &cobra.Command{
		Use:   "report [RUN...]",
		Short: "Make figures, tables, rule and the HTML page from databases",
		Long: `report makes everything that run makes after measuring, from databases alone: figures,
tables, the learned rule and one self-contained HTML page. The same databases give
the same bytes.

Of several databases, a device that several have counts once, and matrices are identified by
content. --kernel, --matrix, --device, --precision and --cache take names, or patterns with *
and ?, several with commas or again; part of a device's name is enough. The report then ignores
all other measurements, and no rule.json is written. --figure writes the files of that figure
and nothing else.

--paper makes what goes into a paper, in the folder paper: figures (PDF and SVG) as wide as a
column, NAME.tex with the caption of each, and tables with booktabs. Pictures of single matrices
are made of the figures that --figure names.

` + command.RunHelp,
		Example: `  spmvtune report
  spmvtune report results/a30/results.db --out a30-report
  spmvtune report a30.db h100.db --out both
  spmvtune report after.db --against before.db
  spmvtune report --paper acm
  spmvtune report --figure throughput-vs-block --kernel 'coo_*' --precision float32 --out coo`,
		ValidArgsFunction: command.CompleteRuns,
		RunE:              r.Run,
	}
	f := cmd.Flags()
	f.StringVarP(&r.Out, "out", "o", "",
		"folder to write to (default: the database's; of several, "+filepath.Join(command.OutRoot(), "report")+")")
	f.StringVar(&r.Against, "against", "", "compare with this run: what became faster or slower")
	f.StringSliceVar(&r.Figures, "figure", nil, "write only these figures")
	f.StringSliceVar(&r.Choice.Kernels, "kernel", nil, "only these kernels")
	f.StringSliceVar(&r.Choice.Matrices, "matrix", nil, "only these matrices")
	f.StringSliceVar(&r.Choice.Devices, "device", nil, "only these devices")
	f.StringSliceVar(&r.Choice.Precisions, "precision", nil, "only these precisions: float32, float64")
	f.StringSliceVar(&r.Choice.Caches, "cache", nil, "only these cache states: cold, warm")
	r.output.Flags(cmd)
	f.StringVar(&r.paper, "paper", "",
		"for a column of a paper instead of the page: acm, ieee, a4, or a width such as 8.5cm")
	f.BoolVar(&r.published, "published", false, "draw the papers' own numbers beside the measured ones")
	command.FlagFile(cmd, "out")
	command.FlagFile(cmd, "against", "db")
	completeNames(cmd, "kernel", "matrix", "device")
	command.FlagValues(cmd, "figure", configs.Figures...)
	command.FlagValues(cmd, "paper", "acm", "ieee", "a4")
	command.FlagValues(cmd, "precision", "float32", "float64")
	command.FlagValues(cmd, "cache", "cold", "warm")
	return cmd
}

// reportMemory is how many bytes a report may take before garbage is collected more eagerly:
// reading a million trials leaves a lot of it.
const reportMemory = 1000 << 20

// Run reports on the databases.
func (r *reportCommand) Run(cmd *cobra.Command, args []string) error {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(reportMemory)
	}
	if _, err := figure.Choose(r.Figures); err != nil {
		return command.Usage(err)
	}
	if r.paper != "" {
		width, err := plots.PaperWidth(r.paper)
		if err != nil {
			return command.Usage(err)
		}
		r.Paper = width
	}
	databases, err := command.Databases(cmd, args)
	if err != nil {
		return err
	}
	folder := filepath.Dir(databases[0])
	if len(databases) > 1 {
		folder = filepath.Join(command.OutRoot(), "report")
	}
	r.Out = cmp.Or(r.Out, folder)
	r.Version = command.Version()
	if r.Against != "" {
		if r.Against, err = command.Database(cmd, r.Against); err != nil {
			return err
		}
		r.Base = command.Shown(r.Against)
	}
	if cmd.Flags().Changed("published") {
		r.Published = &r.published
	}

	stages := show.NewStages(cmd.ErrOrStderr())
	r.Progress = stages.At
	report, err := plots.FromDatabases(cmd.Context(), databases, r.Options)
	stages.Clear()
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return command.WithHint(err, "give another folder with --out")
	}
	if err != nil {
		return err
	}
	if r.output.Data() {
		return r.output.Write(cmd.OutOrStdout(), report)
	}
	show.Report(cmd.OutOrStdout(), report)
	return nil
}
