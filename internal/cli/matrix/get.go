package matrix

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"spmvtune/internal/base/files"
	"spmvtune/internal/cli/command"
	"spmvtune/internal/cli/show"
	"spmvtune/sparse/cache"
	"spmvtune/sparse/fetch"
)

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
are not here yet, and prints where they are. They are archives, which every command can
read. A sweep downloads its matrices by itself. An interrupted download continues where
it stopped; if several processes want a matrix, one downloads it. The files are in
spmvtune/matrices/suitesparse in your cache directory, or in the folder suitesparse
below ` + cache.Env + `. To remove a matrix, remove its file; to remove matrices that
were not used for long, run matrix cache prune --downloads.

` + fetch.EnvServers + ` names other servers, separated by blanks, which have
MM/GROUP/NAME.tar.gz; ` + fetch.EnvOffline + `=1 is --offline. HTTPS_PROXY works as usual.`,
		Example: `  spmvtune matrix get DIMACS10/delaunay_n23
  spmvtune matrix get HB/1138_bus Williams/mc2depi --output matrices
  spmvtune matrix get HB/1138_bus --server https://mirror.example.org/sparse`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New(`get needs a matrix: Group/Name, as in "DIMACS10/delaunay_n23"`)
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              g.Run,
	}
	f := cmd.Flags()
	f.StringVarP(&g.out, "output", "o", "", "copy the file to this folder, or to this name")
	f.StringVar(&g.server, "server", "", "the only server to ask, instead of "+fetch.EnvServers)
	g.output.Flags(cmd)
	command.FlagOffline(cmd, &g.offline)
	command.FlagValues(cmd, "server")
	return cmd
}

// Run downloads matrices.
func (g *getCommand) Run(cmd *cobra.Command, args []string) error {
	ids := make([]fetch.ID, len(args))
	var errs []error
	for i, arg := range args {
		var err error
		ids[i], err = fetch.ParseID(arg)
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return command.Usage(err)
	}

	if info, err := os.Stat(g.out); g.out != "" && len(ids) > 1 && (err != nil || !info.IsDir()) {
		return command.Usage(fmt.Errorf("--output %s must be a folder for %d matrices", g.out, len(ids)))
	}

	line := show.New(cmd.ErrOrStderr(), cmd.ErrOrStderr())
	resolver, err := show.NewResolver(g.offline, line)
	if err != nil {
		return err
	}
	if g.server != "" {
		if err := resolver.Collection.SetServers([]string{g.server}); err != nil {
			return command.Usage(err)
		}
	}
	defer line.Clear()
	return g.get(cmd, resolver.Collection, line, ids)
}

// get downloads the matrices one after the other, and continues after a failure.
func (g *getCommand) get(cmd *cobra.Command, from *fetch.Collection, line *show.Progress, ids []fetch.ID) error {
	all := []gotMatrix{}
	var errs []error
	for _, id := range ids {
		file, err := from.Get(cmd.Context(), id)
		path := file.Path
		if err == nil && g.out != "" {
			path, err = copyOut(file, g.out)
		}
		if cmd.Context().Err() != nil {
			return err
		}
		if errs = append(errs, err); err != nil {
			continue
		}

		all = append(all, gotMatrix{id.String(), path, file.Bytes, file.URL != "", file.URL})
		if !g.output.Data() {
			line.Clear()
			fmt.Fprintln(cmd.OutOrStdout(), path)
		}
	}

	if g.output.Data() {
		errs = append(errs, g.output.Write(cmd.OutOrStdout(), all))
	}
	return errors.Join(errs...)
}

// copyOut copies the file of a matrix to a folder or to a name, and returns its new path.
func copyOut(file fetch.File, out string) (string, error) {
	if info, err := os.Stat(out); err == nil && info.IsDir() {
		out = filepath.Join(out, filepath.Base(file.Path))
	}
	from, err := os.Open(file.Path)
	if err != nil {
		return "", fmt.Errorf("copying %s: %w", file.ID, err)
	}
	defer from.Close()
	if err := os.MkdirAll(filepath.Dir(out), 0o777); err != nil {
		return "", err
	}

	return out, files.WriteTo(out, func(w io.Writer) error {
		_, err := io.Copy(w, from)
		return err
	})
}
