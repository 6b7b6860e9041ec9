// SPDX-License-Identifier: Apache-2.0

// Package serve shows a run on a local page while it measures: how far it is, the winner map, the best of
// each matrix, the last trials, and answers to queries; at the end, the report.
//
// It only reads. The database is opened for reading, of the run's folder nothing is served as a file but the
// report, and a request names nothing else but a query. A page of another site
// can't use it: the name in the address must be one that this server is known by, other sites'
// requests are refused, and the browser is told to load nothing from elsewhere.
//
// Whatever it does for a page, it does not more often than data change, and rests for many times as
// long as the work took: a sweep measures on the same processor. Without an open page, it does
// nothing.
package serve

import (
	"cmp"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"example.org/spmvtune/analysis"
)

//go:embed web
var web embed.FS

// Options say what is served, and to whom.
type Options struct {
	// Database is the path of the database, Name what the user calls the run.
	Database, Name string
	// Hosts are the names by which the page may be asked for, besides those of this machine's
	// loopback. AnyAddress adds all numeric addresses, which no other site can stand for.
	Hosts      []string
	AnyAddress bool
	// Draw draws the winner map of the database.
	Draw func(ctx context.Context, database string) ([]Picture, error)
}

// A Server answers the requests of pages.
type Server struct {
	opt     Options
	watcher *watcher
	figures *gallery
	queries chan struct{} // a place for each query that may run
	active  chan struct{} // and for each request
}

// Limits of what is done at once.
const (
	mostRequests = 32
	mostQueries  = 2
)

// New makes a server. Close ends it.
func New(opt Options) *Server {
	w := &watcher{path: opt.Database, name: opt.Name}
	return &Server{opt: opt, watcher: w, figures: newGallery(w, opt.Draw), queries: make(chan struct{}, mostQueries),
		active: make(chan struct{}, mostRequests)}
}

// Close ends what is being drawn.
func (s *Server) Close() {
	s.figures.end()
	s.figures.work.Wait()
}

// HTTP returns a server with bounds on the time and the size of requests.
func (s *Server) HTTP() *http.Server {
	return &http.Server{
		Handler:           s.Handler(),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      queryTime + 20*time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    3*queryText + 16<<10, // an address has up to three bytes for each of a query
	}
}

// Handler answers requests. It knows no method but GET, and with it HEAD.
func (s *Server) Handler() http.Handler {
	pages, err := fs.Sub(web, "web")
	if err != nil {
		panic(err) // the folder is embedded
	}
	mux := http.NewServeMux()
	for path, file := range map[string]string{"/{$}": "page.html", "/page.css": "page.css", "/page.js": "page.js"} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, pages, file) })
	}
	mux.HandleFunc("GET /colours.css", colours)
	mux.HandleFunc("GET /report/{file...}", s.report)
	mux.HandleFunc("GET /api/state", s.state)
	mux.HandleFunc("GET /api/views", s.views)
	mux.HandleFunc("GET /api/query", s.query)
	mux.HandleFunc("GET /api/map", s.winners)
	return s.guarded(mux)
}

// guarded refuses requests that a page of this server does not make.
func (s *Server) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protect(w.Header())
		switch {
		case !s.known(r.Host):
			http.Error(w, "this server is not known as "+r.Host+": spmvtune serve --host names further names",
				http.StatusMisdirectedRequest)
		case foreign(r) && strings.HasPrefix(r.URL.Path, "/api/"):
			http.Error(w, "another site asks for this", http.StatusForbidden)
		default:
			select {
			case s.active <- struct{}{}:
				defer func() { <-s.active }()
				next.ServeHTTP(w, r)
			default:
				busy(w, "too many requests at once")
			}
		}
	})
}

// report answers with the run's report and the figures beside it, which have styles and letters in them.
func (s *Server) report(w http.ResponseWriter, r *http.Request) {
	file := cmp.Or(r.PathValue("file"), analysis.ReportFile)
	if file != analysis.ReportFile && (path.Dir(file) != "figures" || path.Ext(file) == "") {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'unsafe-inline'; "+
		"style-src 'unsafe-inline'; img-src data:; font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	http.ServeFileFS(w, r, os.DirFS(filepath.Dir(s.opt.Database)), file)
}

// busy asks to come again.
func busy(w http.ResponseWriter, why string) {
	w.Header().Set("Retry-After", "2")
	http.Error(w, why, http.StatusServiceUnavailable)
}

// protect tells the browser to load nothing from elsewhere, to run no script but the page's, and
// to keep no copy.
func protect(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; "+
		"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// answer sends JSON. A page that has it already is told so.
func answer(w http.ResponseWriter, r *http.Request, value any) {
	content, err := json.Marshal(value)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	sum := sha256.Sum256(content)
	tag := `"` + hex.EncodeToString(sum[:12]) + `"`
	h := w.Header()
	h.Set("ETag", tag)
	h.Set("Cache-Control", "no-cache")
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", "application/json; charset=utf-8")
	if r.Method != http.MethodHead {
		_, _ = w.Write(content) // a page that has gone
	}
}

// known reports whether the host of a request is a name of this server, with any port: a tunnel may
// end at another one. Another site can give its own name our address, but then its name stands here.
func (s *Server) known(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
	numeric := false
	if addr, err := netip.ParseAddr(name); err == nil {
		if numeric = true; addr.IsLoopback() {
			return true
		}
		name = addr.String()
	}
	is := func(other string) bool { return strings.EqualFold(name, other) }
	return numeric && s.opt.AnyAddress || is("localhost") || slices.ContainsFunc(s.opt.Hosts, is)
}

// foreign reports whether a page of another site asks. A browser says so; whoever is not a browser
// says nothing, and holds nobody's rights.
func foreign(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
	default:
		return true
	}
	origin := r.Header.Get("Origin")
	return origin != "" && origin != "http://"+r.Host
}

// DefaultAddress is where a page is unless told: on the loopback of this machine, and at any free
// port if that one is taken.
const DefaultAddress = "localhost:8765"

// An Address is where a server listens.
type Address struct {
	net.Listener
	// URL is the address of the page, "" for a socket.
	URL string
	// Hosts are the names in addresses of the page; Any says that it has all addresses of the machine.
	Hosts []string
	Any   bool
	// Open says that others than this machine can reach it.
	Open bool
}

// Listen listens at HOST:PORT, or with unix:PATH at a socket that only this user may use.
func Listen(address string) (*Address, error) {
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		return listenSocket(path)
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("%q is not an address: give HOST:PORT, as in %s, or unix:PATH", address, DefaultAddress)
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("listening at %s: %w", address, err)
	}
	tcp := l.Addr().(*net.TCPAddr)
	a := &Address{Listener: l, Open: !tcp.IP.IsLoopback(), Any: tcp.IP.IsUnspecified()}
	if addr, err := netip.ParseAddr(host); err == nil {
		host = addr.String()
	}
	if a.Any {
		if host, err = os.Hostname(); err != nil {
			host = "localhost"
		}
	}
	if a.Open {
		a.Hosts = []string{host}
	}
	a.URL = "http://" + net.JoinHostPort(host, fmt.Sprint(tcp.Port)) + "/"
	return a, nil
}

// listenSocket listens at a socket of this user.
func listenSocket(path string) (*Address, error) {
	if err := removeLeft(path); err != nil {
		return nil, err
	}
	l, err := (&net.ListenConfig{Control: private}).Listen(context.Background(), "unix", path)
	if err != nil {
		return nil, fmt.Errorf("listening at %s: %w", path, err)
	}
	info, err := os.Lstat(path)
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		err = fmt.Errorf("others could connect to %s: its file system gives it the mode %v; choose another folder", path,
			info.Mode().Perm())
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return &Address{Listener: l}, nil
}

// removeLeft removes a socket that a server has left which was killed. Only a connection that is refused says so: a
// server that is busy, or that belongs to another user, answers with other errors.
func removeLeft(path string) error {
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSocket == 0 {
		return nil // listening says what is wrong
	}
	c, err := net.Dial("unix", path)
	switch {
	case err == nil:
		return errors.Join(fmt.Errorf("another server answers at %s: choose another path", path), c.Close())
	case errors.Is(err, syscall.ECONNREFUSED):
		return os.Remove(path)
	case errors.Is(err, os.ErrNotExist):
		return nil // its server has just ended
	}
	return fmt.Errorf("a server may be using %s (%w): choose another path, or remove it", path, err)
}

// private gives a socket a mode before it has a file, which takes it over on Linux: there is no moment in which others
// can connect, and the mask of the process, which holds for all of its files, stays.
func private(_, _ string, c syscall.RawConn) error {
	var failed error
	err := c.Control(func(fd uintptr) { failed = unix.Fchmod(int(fd), 0o600) })
	return errors.Join(err, failed)
}
