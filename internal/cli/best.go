// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/cli/command"
	"example.org/spmvtune/internal/cli/show"
	"example.org/spmvtune/store"
)

// bestCommand is the command best.
type bestCommand struct {
	output command.Output
	filter store.Filter
}

func newBest() *cobra.Command {
	var b bestCommand
	cmd := &cobra.Command{
		Use:   "best [RUN]",
		Short: "The fastest configuration for each matrix",
		Long: `best prints the fastest configuration for each matrix, precision and cache state. Beside its
time stands how far another run may be off. The column others counts the other kernels that
measurements cannot tell from it; if nothing was measured again, more may be, and it says ≥.
The column recommended names a configuration that is as fast, if it is the more usual one or its
neighbouring block and grid sizes are fast, too. It ends with what to start with.

` + command.RunHelp,
		Example: `  spmvtune best
  spmvtune best quickstart                 # the same run: spmvtune best spmvtune-out/quickstart
  spmvtune best results/a30/results.db --json`,
	}
	command.WithDatabase(cmd, b.Run)
	b.output.Flags(cmd)
	flagFilter(cmd, &b.filter)
	return cmd
}

// Run prints the winners.
func (b *bestCommand) Run(cmd *cobra.Command, db *store.DB, _ string) error {
	ctx, w := cmd.Context(), cmd.OutOrStdout()
	if err := checkFilter(ctx, db, b.filter); err != nil {
		return err
	}

	best, err := db.Best(ctx, b.filter)
	if err == nil && len(best) == 0 && b.filter != (store.Filter{}) {
		err = command.WithHint(errors.New("nothing that was measured is the best by these flags"),
			"spmvtune export takes the same flags, and has all trials")
	}
	if err == nil && b.output.Data() {
		return b.data(ctx, w, db, best)
	}
	if err == nil {
		err = show.Winners(ctx, w, db, best)
	}
	rows, unread := db.Results(ctx, b.filter)
	devices, unread2 := db.Devices(ctx)
	if err = cmp.Or(err, unread, unread2); err != nil {
		return err
	}
	headline := analysis.Brief(analysis.Headline(analysis.New(rows, best, nil, devices)))
	for _, line := range analysis.HeadlineLines(headline) {
		term.Print(w, line)
	}
	return nil
}

// data writes the rows of the view best that are of these.
func (b *bestCommand) data(ctx context.Context, w io.Writer, db *store.DB, best []store.Best) error {
	view, err := db.Query(ctx, "best")
	if err != nil {
		return err
	}
	chosen := map[string]bool{}
	for _, b := range best {
		chosen[fmt.Sprint([]any{b.Device, b.Matrix, b.Precision, b.Cache})] = true
	}
	place := []string{"device", "matrix", "precision", "cache"}
	at := lists.Of(place, func(c string) int { return slices.Index(view.Columns, c) })
	return b.output.Write(w, term.Table{Columns: view.Columns, Rows: lists.Where(view.Rows, func(row []any) bool {
		return chosen[fmt.Sprint(lists.Of(at, func(i int) any { return row[i] }))]
	})})
}
