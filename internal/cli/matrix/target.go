// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/files"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/cli/command"
	"example.org/spmvtune/internal/cli/show"
	"example.org/spmvtune/sparse/fetch"
	"example.org/spmvtune/sparse/file"
	"example.org/spmvtune/sparse/generate"
)

// A Target is the matrix that an argument names, and how a file is read.
type Target struct {
	triangle    bool
	ComplexMode string
	// Absent lets a target be a matrix of the collection that is not downloaded yet.
	Absent bool
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
	_, generator := generate.Lookup(text)
	_, file := file.Stem(text)
	id, noID := fetch.ParseID(text)
	switch {
	case err == nil && info.IsDir():
		return configs.Matrix{}, command.Usage(fmt.Errorf("%s is a folder: name a file in it", text))
	case !errors.Is(err, fs.ErrNotExist):
		return configs.Matrix{Name: matrixName(text), Path: text, Expand: !t.triangle, Complex: t.ComplexMode}, nil
	case !strings.Contains(text, "/") && (generator || strings.ContainsAny(text, ":(")):
		return generatedTarget(text)
	case !file && noID == nil:
		return t.downloaded(id)
	}

	hint := "a matrix is a file, a generator such as rmat:scale=18, or Group/Name of the SuiteSparse collection"
	if specs := inSweeps(text); len(specs) > 0 {
		hint = "the shipped sweeps give this name to " + strings.Join(specs, " and to ")
	}
	return configs.Matrix{}, command.WithHint(fmt.Errorf("there is no file %s", text), hint)
}

// inSweeps returns what the matrices of this name in shipped sweeps are, as words of a command line.
func inSweeps(name string) (specs []string) {
	for _, shipped := range configs.Shipped() {
		if sweep, err := configs.Load(shipped); err == nil {
			for _, m := range lists.Where(sweep.Matrices, func(m configs.Matrix) bool { return m.Name == name }) {
				specs = append(specs, term.Shell(cmp.Or(m.SuiteSparse, m.Path, generate.Spec(m.Generate, m.Args))))
			}
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(specs)))
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
	if !m.Resolved() && !t.Absent {
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
	g, known := generate.Lookup(name)
	if !known {
		return configs.Matrix{}, command.Usage(fmt.Errorf("there is no file %s: unknown generator %q: %s", text, name,
			configs.SuggestGenerator(name)))
	}
	if _, err := generate.Plan(name, args); err != nil {
		return configs.Matrix{}, command.Usage(err)
	}

	m := configs.Matrix{Name: configs.NameOf(g, args), Class: generate.ClassOf(name, args), Generate: name, Args: args,
		Expand: true}
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

// CompleteTargets completes any number of matrices.
func CompleteTargets(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	return completeTarget(cmd, nil, begun)
}

// completeTarget completes a matrix: a file, a generator with its arguments, or a downloaded
// matrix.
func completeTarget(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if list := completeGenerator(begun); len(list) > 0 {
		return list, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
	}
	if list := completeDownloaded(begun); len(list) > 0 {
		return list, cobra.ShellCompDirectiveNoFileComp
	}
	return Files, cobra.ShellCompDirectiveFilterFileExt
}

// completeGenerator completes a generator's name, the names of its arguments, and values from
// a list.
func completeGenerator(begun string) (list []string) {
	name, rest, arguments := strings.Cut(begun, ":")
	if !arguments {
		names := lists.Of(generate.Generators(), func(g generate.Generator) string { return g.Name + ":" })
		return lists.Where(names, func(name string) bool { return begun != "" && strings.HasPrefix(name, begun) })
	}

	g, known := generate.Lookup(name)
	if !known {
		return nil
	}

	given := strings.Split(rest, ",")
	last := given[len(given)-1]
	before := strings.TrimSuffix(begun, last)

	for _, a := range g.Args {
		if value, ok := strings.CutPrefix(last, a.Name+"="); ok {
			begun := lists.Where(a.Choices, func(c string) bool { return strings.HasPrefix(c, value) })
			return lists.Of(begun, func(c string) string { return before + a.Name + "=" + c })
		}
		taken := slices.ContainsFunc(given, func(s string) bool { return strings.HasPrefix(s, a.Name+"=") })
		if !taken && strings.HasPrefix(a.Name, last) {
			list = append(list, before+a.Name+"=")
		}
	}

	return list
}

// completeDownloaded completes Group/Name of a downloaded matrix.
func completeDownloaded(begun string) (list []string) {
	c, err := fetch.Default()
	if err != nil || begun == "" {
		return nil
	}
	names := lists.Of(c.Downloaded(), fetch.ID.String)
	return lists.Where(names, func(name string) bool { return strings.HasPrefix(name, begun) })
}

// Files are the extensions of files that matrices are read from, without the first dot.
var Files = strings.Split(strings.TrimPrefix(strings.Join(file.Extensions, " "), "."), " .")

// getCommand is the command matrix get.
type getCommand struct {
	out, server string
	offline     bool
	output      command.Output
}

// gotMatrix is what `matrix get --json` prints for each matrix.
type gotMatrix struct {
	// Matrix is Group/Name.
	Matrix string `json:"matrix"`
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"`
	// Downloaded tells if this command downloaded it.
	Downloaded bool   `json:"downloaded"`
	URL        string `json:"url,omitempty"`
}

func newMatrixGet() *cobra.Command {
	var g getCommand
	cmd := &cobra.Command{
		Use:   "get GROUP/NAME...",
		Short: "Download matrices of the SuiteSparse collection",
		Long: `get downloads matrices of the SuiteSparse collection (https://sparse.tamu.edu) that
are not here yet, and prints where they are: archives, which every command can read. A sweep
downloads its matrices by itself. An interrupted download continues where it stopped. Remove a
file, or run matrix cache prune --downloads, to remove matrices.
` + fetch.EnvServers + ` names other servers, separated by blanks, which have
MM/GROUP/NAME.tar.gz. HTTPS_PROXY works as usual.`,
		Example: `  spmvtune matrix get DIMACS10/delaunay_n23
  spmvtune matrix get HB/1138_bus Williams/mc2depi --output matrices
  spmvtune matrix get HB/1138_bus --server https://mirror.example.org/sparse`,
		Args:              command.NeedsSome(`a matrix: Group/Name, as in "DIMACS10/delaunay_n23"`),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              g.Run,
	}
	cmd.Flags().StringVarP(&g.out, "output", "o", "", "copy the file to this folder, or to this name")
	cmd.Flags().StringVar(&g.server, "server", "", "the only server to ask, instead of "+fetch.EnvServers)
	g.output.Flags(cmd)
	command.FlagOffline(cmd, &g.offline)
	command.FlagValues(cmd, "server")
	return cmd
}

// Run downloads matrices.
func (g *getCommand) Run(cmd *cobra.Command, args []string) error {
	var ids []fetch.ID
	var errs []error
	for _, arg := range args {
		id, err := fetch.ParseID(arg)
		ids, errs = append(ids, id), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return command.Usage(err)
	}

	info, err := os.Stat(g.out)
	folder := err == nil && info.IsDir()
	if g.out != "" && len(ids) > 1 && !folder {
		return command.Usage(fmt.Errorf("--output %s must be a folder for %d matrices", g.out, len(ids)))
	}
	line := show.New(cmd.ErrOrStderr(), cmd.ErrOrStderr())
	resolver, err := show.NewResolver(g.offline, line)
	if err == nil && g.server != "" {
		err = command.Usage(resolver.Collection.SetServers([]string{g.server}))
	}
	if err != nil {
		return err
	}
	defer line.Clear()
	all := []gotMatrix{}
	for _, id := range ids { // it goes on after a failure
		file, err := resolver.Collection.Get(cmd.Context(), id)
		if err == nil && g.out != "" {
			file.Path, err = copyOut(file.Path, g.out, folder)
		}
		if cmd.Context().Err() != nil {
			return err
		}
		if errs = append(errs, err); err != nil {
			continue
		}

		all = append(all, gotMatrix{id.String(), file.Path, file.Bytes, file.URL != "", file.URL})
		if !g.output.Data() {
			line.Clear()
			fmt.Fprintln(cmd.OutOrStdout(), file.Path)
		}
	}

	if g.output.Data() {
		errs = append(errs, g.output.Write(cmd.OutOrStdout(), all))
	}
	return errors.Join(errs...)
}

// copyOut copies a file into a folder or to a name, and returns its new path.
func copyOut(path, out string, folder bool) (string, error) {
	if folder {
		out = filepath.Join(out, filepath.Base(path))
	}
	from, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer from.Close()
	err = os.MkdirAll(filepath.Dir(out), 0o777)
	return out, cmp.Or(err, files.WriteTo(out, func(w io.Writer) error {
		_, err := io.Copy(w, from)
		return err
	}))
}
