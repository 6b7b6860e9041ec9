package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"spmvtune/internal/term"
)

// Exit codes.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2   // the command line or the sweep file is wrong
	exitSomeFailed  = 3   // the sweep ended, but some trials failed
	exitSlower      = 4   // compare found something slower
	exitInterrupted = 130 // stopped by the user; running again goes on
)

// An exitError is an error with the exit code and the remedy that go with it.
type exitError struct {
	code int
	err  error
	hint string
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// usage makes err a mistake in what the user typed.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{code: exitUsage, err: err}
}

// needs makes sure that a command has its one argument, and says what it is.
func needs(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch len(args) {
		case 0:
			return fmt.Errorf("%s needs %s", cmd.Name(), what)
		case 1:
			return nil
		default:
			return fmt.Errorf("%s takes one argument, not %d: %s", cmd.Name(), len(args), term.Shell(args...))
		}
	}
}

// withHint adds the remedy to err.
func withHint(err error, hint string) error {
	return &exitError{code: exitFailed, err: err, hint: hint}
}

// interrupted gives the exit code of a signal to an error that has none of its
// own, if a signal ended ctx: the error is what the signal broke off.
func interrupted(ctx context.Context, err error) error {
	var e *exitError
	if err == nil || ctx.Err() == nil || errors.As(err, &e) {
		return err
	}
	return &exitError{code: exitInterrupted, err: fmt.Errorf("interrupted: %w", err)}
}

// finish prints err as users read it and returns the exit code.
func finish(w io.Writer, err error) int {
	if err == nil {
		return exitOK
	}
	var e *exitError
	if !errors.As(err, &e) {
		fmt.Fprintf(w, "error: %v\n", err)
		return exitFailed
	}
	if e.err != nil && e.err.Error() != "" {
		fmt.Fprintf(w, "error: %v\n", err)
	}
	if e.hint != "" {
		fmt.Fprintf(w, "hint: %s\n", e.hint)
	}
	return e.code
}
