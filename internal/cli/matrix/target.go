package matrix

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spmvtune/configs"
	"spmvtune/internal/base/term"
	"spmvtune/internal/cli/command"
	"spmvtune/internal/cli/show"
	"spmvtune/sparse/fetch"
	"spmvtune/sparse/file"
	"spmvtune/sparse/generate"
)

// A Target is the matrix that an argument names, and how a file is read.
type Target struct {
	triangle    bool
	ComplexMode string
}

// TargetHelp is the part of a help text that says what names a matrix.
var TargetHelp = `MATRIX is one of:
  - a file, plain, gzipped, or in an archive of the SuiteSparse collection (.tar.gz):
    ` + file.Names() + `
  - Group/Name of that collection, once it is downloaded (spmvtune matrix get)
  - a generator with its arguments, as in grid_5pt:nx=1000,ny=1000 or twin:of=webbase-1M
    (spmvtune help config lists them)`

// Flags adds the flags that say how a file is read.
func (t *Target) Flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&t.triangle, "no-expand", false, "keep only the stored triangle of a symmetric file")
	cmd.Flags().StringVar(&t.ComplexMode, "complex", "",
		"real-part: take the real part of a complex file, which is refused otherwise")
	command.FlagValues(cmd, "complex", file.RealPart)
}

// Spec returns what a sweep would say of the matrix. The name of an existing file is that file.
// Other text is a generator or a matrix of the collection if it looks like one.
func (t *Target) Spec(text string) (configs.Matrix, error) {
	info, err := os.Stat(text)
	if err == nil && info.IsDir() {
		return configs.Matrix{}, command.Usage(fmt.Errorf("%s is a folder: name a file in it", text))
	}
	_, known := generate.Lookup(text)
	if errors.Is(err, fs.ErrNotExist) && !strings.Contains(text, "/") && (known || strings.ContainsAny(text, ":(")) {
		return generatedTarget(text)
	}

	if _, named := file.Stem(text); errors.Is(err, fs.ErrNotExist) && !named {
		if id, err := fetch.ParseID(text); err == nil {
			return t.downloaded(id)
		}
	}

	if errors.Is(err, fs.ErrNotExist) {
		hint := "a matrix is a file, a generator such as rmat:scale=18, or Group/Name of the SuiteSparse collection"
		if specs := inSweeps(text); len(specs) > 0 {
			hint = "the shipped sweeps give this name to " + strings.Join(specs, " and to ")
		}
		return configs.Matrix{}, command.WithHint(fmt.Errorf("there is no file %s", text), hint)
	}
	return configs.Matrix{Name: matrixName(text), Path: text, Expand: !t.triangle, Complex: t.ComplexMode}, nil
}

// inSweeps returns what the matrices of this name in shipped sweeps are, as words of a command line.
func inSweeps(name string) (specs []string) {
	for _, shipped := range configs.Shipped() {
		sweep, err := configs.Load(shipped)
		if err != nil {
			continue
		}
		for _, m := range sweep.Matrices {
			if m.Name == name {
				specs = append(specs, term.Shell(cmp.Or(m.SuiteSparse, m.Path, generate.Spec(m.Generate, m.Args))))
			}
		}
	}
	slices.Sort(specs)
	return slices.Compact(specs)
}

// downloaded returns a matrix of the collection. It downloads nothing: that could take an hour.
func (t *Target) downloaded(id fetch.ID) (configs.Matrix, error) {
	resolver, err := show.NewResolver(false, nil)
	if err != nil {
		return configs.Matrix{}, err
	}
	m := resolver.Foresee(configs.Matrix{
		Name: id.Name, Class: id.Name, SuiteSparse: id.String(), Expand: !t.triangle, Complex: t.ComplexMode,
	})
	if !m.Resolved() {
		return m, command.WithHint(fmt.Errorf("there is no file %s, and no matrix of that name is downloaded", id),
			fmt.Sprintf("`%s` downloads it, if the SuiteSparse collection has it",
				term.Shell("spmvtune", "matrix", "get", id.String())))
	}
	return m, nil
}

// generatedTarget reads a generator with its arguments.
func generatedTarget(text string) (configs.Matrix, error) {
	name, args, err := generate.ParseSpec(text)
	if err != nil {
		return configs.Matrix{}, command.Usage(err)
	}
	_, known := generate.Lookup(name)
	if !known {
		return configs.Matrix{}, command.Usage(fmt.Errorf("there is no file %s: unknown generator %q: %s", text, name,
			configs.SuggestGenerator(name)))
	}
	if err := generate.Check(name, args); err != nil {
		return configs.Matrix{}, command.Usage(err)
	}

	m := configs.Matrix{Name: name, Class: generate.ClassOf(name, args), Generate: name, Args: args, Expand: true}
	if of, ok := args["of"].(string); ok && name == "twin" {
		m.Name = configs.Matrix{Name: of, Generate: name, Args: args}.AsTwin().Name // as in a sweep
	}
	return m, nil
}

// matrixName is the name of a matrix in a file: without folder and extensions.
func matrixName(path string) string {
	name, known := file.Stem(path)
	if known {
		return name
	}
	name = strings.TrimSuffix(name, ".gz")
	return strings.TrimSuffix(name, filepath.Ext(name))
}
