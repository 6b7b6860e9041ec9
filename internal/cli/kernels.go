package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"spmvtune/internal/cli/command"
	"spmvtune/internal/term"
	"spmvtune/kernels"
)

func newKernels() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "kernels [NAME]",
		Short: "List the kernels: where they come from and what can be chosen",
		Example: `  spmvtune kernels
  spmvtune kernels csr_adaptive
  spmvtune kernels coo                     # those whose names begin so
  spmvtune kernels --json`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: command.CompleteOne(kernels.Names()),
		RunE: func(cmd *cobra.Command, args []string) error {
			list := kernels.Catalogue
			if len(args) == 1 {
				if list = named(args[0]); len(list) == 0 {
					return command.Usage(unknownKernel(args[0]))
				}
			}
			w := cmd.OutOrStdout()
			switch {
			case asJSON:
				return term.WriteJSON(w, list)
			case len(list) == 1:
				return describeKernel(w, list[0])
			}
			return listKernels(w, list)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// named returns the kernel of this name or, if there is none, those whose names
// begin so.
func named(name string) []kernels.Kernel {
	if k, ok := kernels.Lookup(name); ok {
		return []kernels.Kernel{k}
	}
	var list []kernels.Kernel
	for _, k := range kernels.Catalogue {
		if strings.HasPrefix(k.Name, name) {
			list = append(list, k)
		}
	}
	return list
}

// listKernels prints a line for each kernel, and the papers that they are from.
func listKernels(w io.Writer, list []kernels.Kernel) error {
	g := term.Table{Columns: []string{"kernel", "backend", "format", "parameters", "mapping"}}
	var cites strings.Builder
	for _, k := range list {
		var params []string
		for _, p := range k.Params {
			params = append(params, p.Name)
		}
		g.Rows = append(g.Rows, []any{k.Name, k.Backend, string(k.Format), strings.Join(params, " "), shortMapping(k.Mapping)})
		cites.WriteString(k.Source + "; ")
	}
	if err := g.Print(w); err != nil {
		return err
	}
	fmt.Fprintln(w, "\nspmvtune kernels NAME says what block, grid and the parameters mean, and where a kernel is from.")
	if cited := kernels.Cited(cites.String()); len(cited) > 0 {
		fmt.Fprintln(w, "\nThe papers:")
		for _, p := range cited {
			fmt.Fprintln(w, "  "+term.Wrap(p.Key+": "+paperText(p), term.PageWidth-4, "    "))
		}
	}
	return nil
}

// shortMapping is the first part of a mapping, as far as a line of the list has
// room for it.
func shortMapping(mapping string) string {
	const room = 30
	mapping, _, _ = strings.Cut(mapping, ";")
	line, _, more := strings.Cut(term.Wrap(mapping, room-1, ""), "\n")
	if more {
		line = strings.TrimRight(line, ",:") + "…"
	}
	return line
}

// paperText says what to look for to find a paper.
func paperText(p kernels.Paper) string {
	s := fmt.Sprintf("%s. %s, %d", p.Title, p.Where, p.Year)
	if p.Authors != "" {
		s = p.Authors + ": " + s
	}
	return s
}
