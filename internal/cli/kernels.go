// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/cli/command"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/kernels/cpu"
	"example.org/spmvtune/kernels/cuda"
	"example.org/spmvtune/kernels/custom"
	"example.org/spmvtune/tuner/hardware"
)

// kernelsCommand is the command kernels.
type kernelsCommand struct {
	output command.Output
	source bool
}

func newKernels() *cobra.Command {
	var k kernelsCommand
	cmd := &cobra.Command{
		Use:   "kernels [NAME]",
		Short: "List the kernels, their sources and their parameters",
		Example: `  spmvtune kernels
  spmvtune kernels csr_adaptive
  spmvtune kernels coo                     # names that begin with coo
  spmvtune kernels csr_scalar --source     # its CUDA code, as one file
  spmvtune kernels --json`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cobra.FixedCompletions(kernels.Names(), cobra.ShellCompDirectiveNoFileComp),
		RunE:              k.Run,
	}
	cmd.Flags().BoolVar(&k.source, "source", false, "print the code of a kernel, with what it includes and how it is launched")
	k.output.Flags(cmd)
	cmd.MarkFlagsMutuallyExclusive("source", "json", "format")
	cmd.AddCommand(newKernelsNew())
	return cmd
}

// Run lists kernels, or describes one.
func (k *kernelsCommand) Run(cmd *cobra.Command, args []string) error {
	list := kernels.Catalogue
	if len(args) == 1 {
		if list = kernelsNamed(args[0]); len(list) == 0 {
			return command.Known("kernel", args[0], kernels.Names())
		}
	}

	w := cmd.OutOrStdout()
	switch {
	case k.source && len(list) != 1:
		return command.Usage(errors.New("--source needs the name of one kernel"))
	case k.source:
		text, err := map[string]func(kernels.Kernel) (string, error){"cpu": cpu.Text, "cuda": cuda.Text}[list[0].Backend](list[0])
		fmt.Fprint(w, text)
		return err
	case k.output.Data():
		return k.output.Write(w, list)
	case len(list) == 1:
		describeKernel(w, list[0])
	default:
		listKernels(w, list)
	}
	return nil
}

// kernelsNamed returns the kernel of this name or, if there is none, those whose names begin
// with it.
func kernelsNamed(name string) []kernels.Kernel {
	if k, ok := kernels.Lookup(name); ok {
		return []kernels.Kernel{k}
	}
	return lists.Where(kernels.Catalogue, func(k kernels.Kernel) bool { return strings.HasPrefix(k.Name, name) })
}

// listKernels prints a line for each kernel, and the papers that they are from.
func listKernels(w io.Writer, list []kernels.Kernel) {
	t := term.Table{Columns: []string{"kernel", "backend", "format", "bits", "parameters", "mapping"},
		Less: []string{"bits", "format", "backend", "parameters"}}
	var sources strings.Builder
	for _, k := range list {
		mapping, _, _ := strings.Cut(k.Mapping, ";")
		params := lists.Of(k.Params, func(p kernels.Param) string { return p.Name })
		bits := map[bool]string{true: "same", false: "vary"}[k.Deterministic]
		t.Add(k.Name, k.Backend, string(k.Format), bits, strings.Join(params, " "), mapping)
		sources.WriteString(k.Source + "; ")
	}
	t.DropEmpty()
	t.Print(w)

	fmt.Fprintln(w)
	term.Print(w, "bits: the last bits of y are the same in every run, or may vary.")
	term.Print(w, "spmvtune kernels NAME explains a kernel's block, grid and parameters, and where it is from.")
	if cited := kernels.Cited(sources.String()); len(cited) > 0 {
		fmt.Fprintln(w, "\nThe papers:")
		for _, p := range cited {
			term.Item(w, p.Key+": "+p.Citation())
		}
	}
}

// describeKernel prints one row of the catalogue as a short page.
func describeKernel(w io.Writer, k kernels.Kernel) {
	const column = 14
	line := func(label, text string) {
		if text != "" {
			fmt.Fprintf(w, "%-13s %s\n", label, term.Wrap(text, term.PageWidth-column, strings.Repeat(" ", column)))
		}
	}

	line("kernel", k.Name)
	line("paper name", k.Paper)
	line("source", k.Source)

	for _, p := range kernels.Cited(k.Source) {
		line("", p.Key+": "+p.Citation())
	}
	line("backend", k.Backend)
	line("format", string(k.Format))
	line("mapping", k.Mapping)
	line("block", k.Block)
	line("grid", k.Grid)
	line("legal", k.Legal)
	line("error bound", "over the "+string(k.Scope))
	line("deterministic", map[bool]string{
		true:  "yes: every run of a configuration on a device gives the same bits of y",
		false: "no: the order of additions may differ from run to run, and with it the last bits of y",
	}[k.Deterministic])

	for _, p := range k.Choices() {
		line("parameter", p.String())
	}
}

// newKernelsNew is the command kernels new.
func newKernelsNew() *cobra.Command {
	var cuda, c bool
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Write a kernel of your own that works, and a sweep for it",
		Long: `new writes NAME.cu, or NAME.c for the processor, and NAME.toml to this folder. The
kernel is right as it is: run the sweep, and change one and the other from there.
Without --cuda and --c it is for the GPU, if one answers.`,
		Example: `  spmvtune kernels new mine --c
  spmvtune run mine.toml`,
		Args: command.Needs("a name for the kernel, as in: spmvtune kernels new mine"),
		RunE: func(cmd *cobra.Command, args []string) error {
			backend := "cpu"
			if !cuda && !c {
				_, err := hardware.FindGPU(cmd.Context(), 0)
				cuda = err == nil
			}
			if cuda {
				backend = "cuda"
			}
			files, err := custom.Create(".", args[0], backend)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s is written, and a sweep for it: spmvtune run %s\n",
				filepath.Base(files[1]), filepath.Base(files[0]))
			return nil
		},
	}
	cmd.Flags().BoolVar(&cuda, "cuda", false, "a kernel for an NVIDIA GPU")
	cmd.Flags().BoolVar(&c, "c", false, "a kernel for the processor, in C")
	cmd.MarkFlagsMutuallyExclusive("cuda", "c")
	return cmd
}
