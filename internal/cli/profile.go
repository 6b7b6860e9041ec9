// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"example.org/spmvtune/analysis/profile"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/cli/command"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/hardware"
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
Compute's ncu, on a processor perf or valgrind. The products are verified, and timings are
discarded. The view profile has the counters, and the report says by them why a kernel wins.

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
	completeNames(cmd, "matrix", "device")
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

	ctx := cmd.Context()
	by := profile.Profiler{DB: db, W: cmd.OutOrStdout(), Program: hardware.Program, Here: hardware.Same}
	if p.table != "" {
		return by.Import(ctx, p.table)
	}
	if err := checkFilter(ctx, db, store.Filter{Matrix: p.matrix, Device: p.device}); err != nil {
		return err
	}
	choice := profile.Choice{Where: p.where, Matrix: p.matrix, Device: p.device}
	if p.script {
		return by.Script(ctx, choice)
	}
	failed, err := by.Count(ctx, choice)
	if err != nil && ctx.Err() != nil {
		return &command.Error{Code: command.ExitInterrupted, Err: errors.New("interrupted: what was counted so far is kept")}
	}
	if failed > 0 {
		return command.SomeFailed(fmt.Errorf("%s could not be counted", term.Trials(failed)), "")
	}
	return err
}

// newProduct is the hidden command of the process that a profiler follows. It is also how one
// looks at a trial with a profiler by hand.
func newProduct() *cobra.Command {
	var n int
	cmd := &cobra.Command{
		Use:    "product DB TRIAL...",
		Short:  "Compute verified products of trials on a matrix, for a profiler",
		Hidden: true,
		Args:   cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return profile.Products(cmd.Context(), hardware.OpenBackend, args[0], args[1:], n)
		},
	}
	cmd.Flags().IntVar(&n, "products", 1, "number of products of each that are counted")
	return cmd
}
