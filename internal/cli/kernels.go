package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"spmvtune/kernels"
)

func newKernels() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "kernels [NAME]",
		Short: "List the kernels: where they come from and what can be chosen",
		Example: `  spmvtune kernels
  spmvtune kernels csr_adaptive
  spmvtune kernels --json`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cobra.FixedCompletions(kernels.Names(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			list := kernels.Catalogue
			if len(args) == 1 {
				k, ok := kernels.Lookup(args[0])
				if !ok {
					return usage(unknownKernel(args[0]))
				}
				list = []kernels.Kernel{k}
			}
			w := cmd.OutOrStdout()
			if asJSON {
				return writeJSON(w, list)
			}
			if len(args) == 1 {
				return describeKernel(w, list[0])
			}
			g := grid{columns: []string{"kernel", "backend", "format", "block", "grid", "parameters", "source"}}
			for _, k := range list {
				var params []string
				for _, p := range k.Params {
					params = append(params, p.Name)
				}
				g.rows = append(g.rows, []any{k.Name, k.Backend, string(k.Format), k.Block, k.Grid, strings.Join(params, " "), k.Source})
			}
			return g.write(w, "table")
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
