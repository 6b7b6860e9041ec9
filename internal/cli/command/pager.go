package command

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"spmvtune/internal/term"
)

// EnvPager names the user's pager.
const EnvPager = "PAGER"

// A page holds what a command prints on a terminal, until it is known how long that is.
type page struct {
	bytes.Buffer
	width int
}

// Columns is the width of the terminal; 0: tables have all columns.
func (p *page) Columns() int { return p.width }

// Paged adds --no-pager to cmd. What cmd prints on a terminal goes to the user's pager where it is longer than that.
// RunE must be set.
func (o *Output) Paged(cmd *cobra.Command) {
	noPager := cmd.Flags().Bool("no-pager", false,
		"print what is longer than the terminal without a pager ($"+EnvPager+", or less)")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		w := cmd.OutOrStdout()
		size := term.SizeOf(w)
		pager := cmp.Or(os.Getenv(EnvPager), "less")
		if _, set := os.LookupEnv(EnvPager); set && os.Getenv(EnvPager) == "" {
			pager = "cat" // as other programs take it
		}
		if *noPager || o.Data() || size == nil || pager == "cat" {
			return run(cmd, args)
		}

		p := &page{width: term.Columns(w)}
		_, height := size()
		cmd.SetOut(p)
		err := run(cmd, args)
		if height == 0 || bytes.Count(p.Bytes(), []byte("\n")) < height {
			_, failed := w.Write(p.Bytes())
			return errors.Join(err, failed)
		}
		return errors.Join(err, p.show(cmd.Context(), pager, w))
	}
}

// show gives the page to a pager, a command line for the shell. Where it can't be started, w gets the page.
func (p *page) show(ctx context.Context, pager string, w io.Writer) error {
	text := term.Visible(p.String())
	c := exec.CommandContext(context.WithoutCancel(ctx), "sh", "-c", pager)
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader([]byte(text)), term.Raw(w), os.Stderr
	c.Env = os.Environ()
	if _, set := os.LookupEnv("LESS"); !set {
		c.Env = append(c.Env, "LESS=FRX")
	}
	_, err := exec.LookPath(strings.Fields(pager + " -")[0])
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		_, err = w.Write(p.Bytes())
		return err
	}
	signal.Ignore(os.Interrupt) // it is the pager's now
	err = c.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.Exited() || errors.Is(err, syscall.EPIPE) {
		return nil // the user has read enough
	}
	return err
}
