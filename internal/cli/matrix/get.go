package matrix

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"spmvtune/internal/atomicfile"
	"spmvtune/internal/cli/command"
	"spmvtune/internal/cli/show"
	"spmvtune/internal/term"
	"spmvtune/sparse/fetch"
)

// got is what `matrix get --json` prints, one per matrix.
type got struct {
	Matrix     string `json:"matrix"` // Group/Name
	Path       string `json:"path"`
	Bytes      int64  `json:"bytes"`
	Downloaded bool   `json:"downloaded"` // just now
	URL        string `json:"url,omitempty"`
}

func newMatrixGet() *cobra.Command {
	var out, server string
	var asJSON, offline bool
	cmd := &cobra.Command{
		Use:   "get GROUP/NAME...",
		Short: "Download matrices of the SuiteSparse collection",
		Long: `get downloads matrices of the SuiteSparse collection (https://sparse.tamu.edu) that
are not here yet, and prints where they are: archives, which every command reads as
they are. A sweep does so by itself. A download that was broken off goes on where it
was, and one process downloads where several ask. Files are kept in
spmvtune/matrices/suitesparse in your cache directory, or in the folder suitesparse
below ` + "SPMVTUNE_CACHE" + `; to remove one, remove its file, and to remove
those that were not used for long, matrix cache prune --downloads.

` + fetch.EnvServers + ` names other servers, separated by blanks, which have
MM/GROUP/NAME.tar.gz; ` + fetch.EnvOffline + `=1 is --offline. HTTPS_PROXY is heeded.`,
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
		RunE: func(cmd *cobra.Command, args []string) error {
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
			if info, err := os.Stat(out); out != "" && len(ids) > 1 && (err != nil || !info.IsDir()) {
				return command.Usage(fmt.Errorf("--output %s is not a folder, and there are %d matrices", out, len(ids)))
			}
			line := show.New(cmd.ErrOrStderr(), cmd.ErrOrStderr())
			settler, err := show.NewResolver(offline, line)
			if err != nil {
				return err
			}
			if server != "" {
				if err := settler.Collection.SetServers([]string{server}); err != nil {
					return command.Usage(err)
				}
			}
			defer line.Clear()
			all := []got{}
			for _, id := range ids {
				file, err := settler.Collection.Get(cmd.Context(), id)
				path := file.Path
				if err == nil && out != "" {
					path, err = copyOut(file, out)
				}
				if cmd.Context().Err() != nil {
					return err
				}
				if errs = append(errs, err); err != nil {
					continue
				}
				all = append(all, got{id.String(), path, file.Bytes, file.URL != "", file.URL})
				if !asJSON {
					line.Clear()
					fmt.Fprintln(cmd.OutOrStdout(), path)
				}
			}
			if asJSON {
				errs = append(errs, term.WriteJSON(cmd.OutOrStdout(), all))
			}
			return errors.Join(errs...)
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "copy the file to this folder, or under this name")
	cmd.Flags().StringVar(&server, "server", "", "the only server to ask, in place of "+fetch.EnvServers)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	command.FlagOffline(cmd, &offline)
	command.FlagValues(cmd, "server")
	return cmd
}

// copyOut copies the file of a matrix to a folder, or under a name, and returns where it
// is then.
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
	return out, atomicfile.WriteTo(out, func(w io.Writer) error {
		_, err := io.Copy(w, from)
		return err
	})
}
