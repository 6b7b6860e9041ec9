package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"spmvtune/internal/base/term"
)

// EnvPager names the user's pager.
const EnvPager = "PAGER"

// A page is what a command prints on a terminal, until it is known how long that is.
type page struct{ term.Page }

// Paged adds --no-pager to cmd. What cmd prints on a terminal goes to the user's pager where it is longer than that.
// RunE must be set.
func (o *Output) Paged(cmd *cobra.Command) {
	noPager := cmd.Flags().Bool("no-pager", false,
		"print what is longer than the terminal without a pager ($"+EnvPager+", or less)")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		w := cmd.OutOrStdout()
		size := term.SizeOf(w)
		pager := userPager()
		if *noPager || o.Data() || size == nil || pager == "" {
			return run(cmd, args)
		}

		p := &page{term.Page{Width: term.Columns(w)}}
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

// userPager is the command line of the user's pager, "" for none. An empty PAGER means none, as other programs take it.
func userPager() string {
	pager, set := os.LookupEnv(EnvPager)
	if pager = strings.TrimSpace(pager); pager == "cat" {
		return ""
	}
	if _, err := exec.LookPath("less"); !set && err == nil {
		return "less"
	}
	return pager
}

// show gives the page to a pager, a command line for the shell. w gets the page where the pager fails.
func (p *page) show(ctx context.Context, pager string, w io.Writer) error {
	text := term.Visible(p.String())
	c := exec.CommandContext(context.WithoutCancel(ctx), "sh", "-c", pager)
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(text), term.Raw(w), os.Stderr
	c.Env = os.Environ()
	if _, set := os.LookupEnv("LESS"); !set {
		c.Env = append(c.Env, "LESS=FRX")
	}
	paging.Store(true) // before the pager can get a Ctrl-C
	err := c.Run()
	paging.Store(false)
	exit, ok := errors.AsType[*exec.ExitError](err)
	if err == nil || ok && (!exit.Exited() || exit.ExitCode() > 128) || errors.Is(err, syscall.EPIPE) {
		return nil // the user has read enough
	}
	fmt.Fprintf(os.Stderr, "note: no pager: %s: %v\n", term.Shell(pager), err)
	_, err = w.Write(p.Bytes())
	return err
}
