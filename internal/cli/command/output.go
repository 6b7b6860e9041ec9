package command

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spmvtune/internal/base/term"
)

// EnvFormat names the format of what commands print.
const EnvFormat = "SPMVTUNE_FORMAT"

// Output is how a command prints what it has found: the flags are the same for all commands.
type Output struct {
	// Format is one of term.Formats.
	Format string
	// Wide asks for all columns of tables, however narrow the terminal is.
	Wide   bool
	asJSON bool
}

// Flags adds --format, --json and --wide to cmd. RunE must be set.
func (o *Output) Flags(cmd *cobra.Command) {
	o.Format = term.Formats[0]
	f := cmd.Flags()
	f.Var((*formatFlag)(&o.Format), "format", strings.Join(term.Formats, ", "))
	f.BoolVar(&o.asJSON, "json", false, "print JSON, as --format json")
	f.BoolVar(&o.Wide, "wide", false, "on a terminal, print all columns of tables, and nothing shortened")
	cmd.MarkFlagsMutuallyExclusive("format", "json")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if format := os.Getenv(EnvFormat); format != "" && !cmd.Flags().Changed("format") && !o.asJSON {
			if err := (*formatFlag)(&o.Format).Set(format); err != nil {
				return Usage(fmt.Errorf("%s=%s: %w", EnvFormat, format, err))
			}
		}
		if o.Wide {
			cmd.SetOut(term.Wide(cmd.OutOrStdout()))
		}
		return run(cmd, args)
	}
	FlagValues(cmd, "format", term.Formats...)
}

// Data reports whether programs read what is printed: it is not a table for people.
func (o *Output) Data() bool { return o.ChosenFormat() != term.Formats[0] }

// ForPeople reports whether people read what is printed: numbers are rounded then.
func (o *Output) ForPeople() bool {
	return slices.Contains([]string{"table", "markdown"}, o.ChosenFormat())
}

// ChosenFormat is the format that was asked for.
func (o *Output) ChosenFormat() string {
	if o.asJSON {
		return "json"
	}
	return cmp.Or(o.Format, term.Formats[0])
}

// Write prints a value for programs, see term.Format.
func (o *Output) Write(w io.Writer, v any) error { return term.Format(w, o.ChosenFormat(), v) }

// A formatFlag is the value of --format: the format of a table.
type formatFlag string

func (f *formatFlag) String() string { return string(*f) }
func (*formatFlag) Type() string     { return "string" }

func (f *formatFlag) Set(text string) error {
	if !slices.Contains(term.Formats, text) {
		return fmt.Errorf("must be one of %s", strings.Join(term.Formats, ", "))
	}
	*f = formatFlag(text)
	return nil
}
