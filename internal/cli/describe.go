package cli

import (
	"fmt"
	"io"
	"strings"

	"spmvtune/configs"
	"spmvtune/internal/term"
	"spmvtune/kernels"
)

// unknownKernel says that there is no kernel of this name, and which is meant.
func unknownKernel(name string) error {
	err := fmt.Errorf("unknown kernel %q", name)
	if near := configs.Nearest(name, kernels.Names()); near != "" {
		err = fmt.Errorf("%w: did you mean %q?", err, near)
	}
	return err
}

// describeKernel prints one row of the catalogue as a short page.
func describeKernel(w io.Writer, k kernels.Kernel) error {
	line := func(label, text string) {
		if text != "" {
			fmt.Fprintf(w, "%-12s %s\n", label, term.Wrap(text, term.PageWidth-13, strings.Repeat(" ", 13)))
		}
	}
	line("kernel", k.Name)
	line("paper name", k.Paper)
	line("source", k.Source)
	for _, p := range kernels.Cited(k.Source) {
		line("", p.Key+": "+paperText(p))
	}
	line("backend", k.Backend)
	line("format", string(k.Format))
	line("mapping", k.Mapping)
	line("block", k.Block)
	line("grid", k.Grid)
	line("legal", k.Legal)
	line("error bound", "over the "+string(k.Scope))
	for _, p := range k.Params {
		values := "any positive integer"
		if len(p.Values) > 0 {
			values = strings.Join(p.Values, ", ")
		}
		line("parameter", fmt.Sprintf("%s: %s (%s; default %s)", p.Name, p.Doc, values, p.Default))
	}
	return nil
}
