// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"example.org/spmvtune/internal/base/panics"
	"example.org/spmvtune/internal/base/term"
)

// Exit codes.
const (
	ExitOK          = 0
	ExitFailed      = 1
	ExitUsage       = 2   // The command line or the sweep file is wrong.
	ExitSomeFailed  = 3   // The sweep ended, but some trials failed.
	ExitSlower      = 4   // compare found something slower.
	ExitInterrupted = 130 // The user stopped the program; running it again continues.
	ExitUnread      = 141 // Nobody reads the output any more.
)

// An Error is an error with its exit code and a hint how to solve it.
type Error struct {
	Code int
	Err  error
	Hint string
}

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// Usage makes err a usage error.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return &Error{Code: ExitUsage, Err: err}
}

// UsageHint is Usage with a hint.
func UsageHint(err error, hint string) error {
	return &Error{Code: ExitUsage, Err: err, Hint: hint}
}

// SomeFailed makes err the outcome of a sweep that did not measure everything.
func SomeFailed(err error, hint string) error {
	return &Error{Code: ExitSomeFailed, Err: err, Hint: hint}
}

// Needs checks that a command has one argument. what describes it.
func Needs(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return fmt.Errorf("%s takes one argument, not %d: %s", cmd.Name(), len(args), term.Shell(args...))
		}
		return NeedsSome(what)(cmd, args)
	}
}

// NeedsSome checks that a command has arguments, and says what they are.
func NeedsSome(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 || slices.Contains(args, "") { // "", as of a variable that is not set, would be the last run
			return fmt.Errorf("%s needs %s", cmd.Name(), what)
		}
		return nil
	}
}

// WithHint adds a hint to err.
func WithHint(err error, hint string) error {
	return &Error{Code: ExitFailed, Err: err, Hint: hint}
}

// Interrupted gives an error without an exit code that of a signal if ctx has ended: the signal
// caused the error. Where nobody reads the output, nothing is said.
func Interrupted(ctx context.Context, err error) error {
	if _, ours := errors.AsType[*Error](err); ours || err == nil {
		return err
	}
	if errors.Is(err, syscall.EPIPE) || errors.Is(context.Cause(ctx), syscall.EPIPE) {
		return &Error{Code: ExitUnread, Err: errors.New("")}
	}
	if ctx.Err() == nil {
		return err
	}
	return &Error{Code: ExitInterrupted, Err: fmt.Errorf("interrupted: %w", err)}
}

// Finish prints err with its hint and returns the exit code.
func Finish(w io.Writer, err error) int {
	if err == nil {
		return ExitOK
	}
	e, ours := errors.AsType[*Error](err)
	if !ours {
		e = &Error{Code: ExitFailed, Err: err}
	}
	if hinted := (*term.Hinted)(nil); e.Hint == "" && errors.As(err, &hinted) {
		e.Hint = hinted.Hint
	}

	if e.Err != nil && e.Err.Error() != "" {
		fmt.Fprintf(w, "error: %v\n", err)
	}
	if e.Hint != "" {
		fmt.Fprintf(w, "hint: %s\n", e.Hint)
	}
	return e.Code
}

// Reported says of an internal error how to report it.
func Reported(err error, args []string) error {
	if _, ours := errors.AsType[*panics.Error](err); !ours {
		return err
	}
	return fmt.Errorf("internal error in spmvtune %s; please report it with the command %s: %w", Version(),
		term.Shell(append([]string{"spmvtune"}, args...)...), err)
}
