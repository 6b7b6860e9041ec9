package command

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
	ExitOK          = 0
	ExitFailed      = 1
	ExitUsage       = 2   // the command line or the sweep file is wrong
	ExitSomeFailed  = 3   // the sweep ended, but some trials failed
	ExitSlower      = 4   // compare found something slower
	ExitInterrupted = 130 // stopped by the user; running again goes on
)

// An exitError is an error with the exit code and the remedy that go with it.
type Error struct {
	Code int
	Err  error
	Hint string
}

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// Usage makes err a mistake in what the user typed.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return &Error{Code: ExitUsage, Err: err}
}

// UsageHint is usage with the remedy.
func UsageHint(err error, hint string) error {
	return &Error{Code: ExitUsage, Err: err, Hint: hint}
}

// SomeFailed makes err the outcome of a sweep of which not all was measured.
func SomeFailed(err error, hint string) error {
	return &Error{Code: ExitSomeFailed, Err: err, Hint: hint}
}

// Needs makes sure that a command has its one argument, and says what it is.
func Needs(what string) cobra.PositionalArgs {
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

// WithHint adds the remedy to err.
func WithHint(err error, hint string) error {
	return &Error{Code: ExitFailed, Err: err, Hint: hint}
}

// Interrupted gives the exit code of a signal to an error that has none of its
// own, if a signal ended ctx: the error is what the signal broke off.
func Interrupted(ctx context.Context, err error) error {
	var e *Error
	if err == nil || ctx.Err() == nil || errors.As(err, &e) {
		return err
	}
	return &Error{Code: ExitInterrupted, Err: fmt.Errorf("interrupted: %w", err)}
}

// Finish prints err as users read it and returns the exit code.
func Finish(w io.Writer, err error) int {
	if err == nil {
		return ExitOK
	}
	var e *Error
	if !errors.As(err, &e) {
		fmt.Fprintf(w, "error: %v\n", err)
		return ExitFailed
	}
	if e.Err != nil && e.Err.Error() != "" {
		fmt.Fprintf(w, "error: %v\n", err)
	}
	if e.Hint != "" {
		fmt.Fprintf(w, "hint: %s\n", e.Hint)
	}
	return e.Code
}
