// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/cli/command"
	"example.org/spmvtune/internal/cli/serve"
	"example.org/spmvtune/store"
)

// serveCommand is the command serve.
type serveCommand struct {
	listen string
	hosts  []string
}

func newServe() *cobra.Command {
	var s serveCommand
	cmd := &cobra.Command{
		Use:   "serve [RUN]",
		Short: "Show a run on a local page, live while it measures",
		Long: `serve shows a run in a browser, until Ctrl-C: how far it is and the time left, the winner
map, the best of each matrix and how it was found, the last trials, and a box for queries with
the columns of the views explained; at the end, the report. It only reads, and waits for a run
that has not begun.

` + command.RunHelp + `

The page is at ` + serve.DefaultAddress + `, which only this machine reaches, or at another port if that is
taken, and through an ssh tunnel from elsewhere. Other users of the machine can read the page,
too: --listen unix:PATH makes a socket that only you can use. docs/reading.md says more.`,
		Example: `  spmvtune serve
  spmvtune serve quickstart --listen localhost:9000
  ssh -L 8765:localhost:8765 node17          # on your own machine; then open http://localhost:8765/
  spmvtune serve --listen unix:page.sock     # and ssh -L 8765:/path/to/page.sock node17`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: command.CompleteRun,
		RunE:              s.Run,
	}
	f := cmd.Flags()
	f.StringVar(&s.listen, "listen", "", "HOST:PORT or unix:PATH to listen at (default "+serve.DefaultAddress+")")
	f.StringSliceVar(&s.hosts, "host", nil, "further names by which browsers may ask for the page")
	return cmd
}

// Run serves until the context ends.
func (s *serveCommand) Run(cmd *cobra.Command, args []string) error {
	path, err := s.database(cmd, strings.Join(args, ""))
	if path == "" {
		return err
	}
	at, err := s.address()
	if err != nil {
		return err
	}
	serve.GiveWay()
	server := serve.New(serve.Options{Database: path, Name: filepath.Base(filepath.Dir(path)),
		Hosts: append(at.Hosts, s.hosts...), AnyAddress: at.Any, Draw: serve.Draw})
	s.say(cmd.OutOrStdout(), at, path)
	defer server.Close()
	return serveUntil(cmd.Context(), server.HTTP(), at)
}

// database returns the path of a run's database, "" if it ends before there is one: it waits for a run that has not
// begun, but not for one whose name is nearly that of another.
func (s *serveCommand) database(cmd *cobra.Command, word string) (path string, err error) {
	runs := command.RunNames(analysis.DatabaseFile)
	_, missing := os.Stat(word) // also of no word
	wait := missing != nil && (word == "" && len(runs) == 0 || word != "" && configs.Nearest(word, runs) == "") &&
		!slices.ContainsFunc(runs, func(name string) bool { return strings.HasPrefix(name, word) }) &&
		!strings.ContainsRune(word, filepath.Separator) && filepath.Ext(word) == "" // a path is of what is there
	if wait {
		fmt.Fprintf(cmd.OutOrStdout(), "waiting for %s to begin; Ctrl-C ends that\n", cmp.Or(word, "a run"))
	}
	said, last := "", ""
	for {
		if path, err = command.Database(cmd, word); err == nil {
			if path, err = filepath.Abs(path); err == nil {
				var db *store.DB
				if db, err = store.OpenReadOnly(path); err == nil {
					return path, db.Close()
				}
			}
		}
		if !wait {
			return "", err
		}
		said = cmp.Or(said, err.Error())                    // at first that there is none yet
		if now := err.Error(); now != said && now == last { // it was no moment between two files
			fmt.Fprintln(cmd.ErrOrStderr(), "still waiting:", term.Visible(now))
			said = now
		}
		last = err.Error()
		select {
		case <-cmd.Context().Done():
			return "", nil
		case <-time.After(time.Second):
		}
	}
}

// address listens where it is told, or at the default address, or beside it if that is taken.
func (s *serveCommand) address() (*serve.Address, error) {
	if s.listen != "" {
		at, err := serve.Listen(s.listen)
		return at, command.Usage(err)
	}
	at, err := serve.Listen(serve.DefaultAddress)
	if errors.Is(err, syscall.EADDRINUSE) {
		at, err = serve.Listen("localhost:0")
	}
	return at, err
}

// say says where the page is, and who can read it.
func (s *serveCommand) say(w io.Writer, at *serve.Address, path string) {
	path = command.Shown(path)
	if at.URL == "" {
		fmt.Fprintf(w, "%s is served at the socket %s; Ctrl-C ends that\n", path, at.Addr())
		return
	}
	fmt.Fprintf(w, "%s is served at %s; Ctrl-C ends that\n", path, at.URL)
	if at.Open {
		fmt.Fprintln(w, "note: everybody who reaches this address can read the results")
		return
	}
	if _, port, err := net.SplitHostPort(at.Addr().String()); err == nil && os.Getenv("SSH_CONNECTION") != "" {
		if host, err := os.Hostname(); err == nil {
			fmt.Fprintf(w, "from your own machine: %s\n", term.Shell("ssh", "-L", port+":localhost:"+port, host))
		}
	}
}

// serveUntil answers requests until ctx ends, and then ends those that are under way.
func serveUntil(ctx context.Context, server *http.Server, l net.Listener) error {
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := server.Shutdown(last); err != nil {
		return server.Close() // a query goes on: its connection ends
	}
	return nil
}
