// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/cli/show"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner"
	"example.org/spmvtune/tuner/trial"
)

// Only names of this server are answered to, at whatever port: another site that gives its name our
// address asks by its own name.
func TestHosts(t *testing.T) {
	r := newRun(t)
	local := r.server(Options{Hosts: []string{"node17", "10.0.0.7"}})
	everywhere := r.server(Options{AnyAddress: true})
	for _, tt := range []struct {
		host             string
		local, elsewhere bool
	}{
		{"localhost", true, true}, {"localhost:8765", true, true}, {"LOCALHOST:1", true, true},
		{"127.0.0.1:9000", true, true}, {"127.0.0.1", true, true}, {"[::1]:8765", true, true}, {"[::1]", true, true},
		{"node17:8765", true, false}, {"Node17", true, false}, {"10.0.0.7:80", true, true}, {"10.0.0.8:80", false, true},
		{"evil.example", false, false}, {"evil.example:8765", false, false}, {"localhost.evil.example", false, false},
		{"127.0.0.1.evil.example:8765", false, false}, {"node17.evil.example", false, false}, {"", false, false},
	} {
		for s, want := range map[*Server]bool{local: tt.local, everywhere: tt.elsewhere} {
			for _, path := range []string{"/", "/api/state", "/api/query?sql=best"} {
				if got := get(s, path, "Host", tt.host).Code; (got == http.StatusOK) != want ||
					!want && got != http.StatusMisdirectedRequest {
					t.Errorf("%q asks for %s (any address: %t): %d", tt.host, path, s == everywhere, got)
				}
			}
		}
	}
}

// Nothing but reading is answered, and nothing but what the page consists of.
func TestMethodsAndPaths(t *testing.T) {
	s := newRun(t).server(Options{})
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "GETT"} {
		w := request(s, method, "/api/query?sql=best")
		testkit.Check(t, w.Code == http.StatusMethodNotAllowed && w.Header().Get("Allow") == "GET, HEAD",
			"%s: %d", method, w.Code)
	}
	for _, path := range []string{"/", "/page.js", "/page.css", "/colours.css", "/api/state", "/api/views"} {
		testkit.Equal(t, request(s, "HEAD", path).Code, http.StatusOK, "HEAD %s", path)
		w := get(s, path)
		testkit.Check(t, w.Code == http.StatusOK && w.Body.Len() != 0, "GET %s: %d", path, w.Code)
	}
	for _, path := range []string{"/results.db", "/web/", "/page.html", "/api/", "/api/map/results.db",
		"/..%2fresults.db", "/%2e%2e/results.db", "/page.js/../../results.db",
		"/.progress.json", "/report/results.db", "/report/figures/", "/report/figures/../results.db", "/report/"} {
		// A path that is not plain is sent to a plain one, which is none of ours either.
		w := get(s, path)
		for range 2 {
			if to := w.Header().Get("Location"); to != "" {
				w = get(s, to)
			}
		}
		testkit.Check(t, w.Code == http.StatusNotFound, "GET %s: %d %s", path, w.Code, w.Body)
	}
}

// Each answer tells the browser to load nothing from elsewhere, refusals as well.
func TestHeaders(t *testing.T) {
	s := newRun(t).server(Options{})
	for _, path := range []string{"/", "/page.js", "/page.css", "/api/state", "/api/query?sql=nosuch", "/nosuch"} {
		h := get(s, path).Header()
		policy := h.Get("Content-Security-Policy")
		testkit.Says(t, "the policy of "+path, policy, "default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'",
			"base-uri 'none'", "form-action 'none'")
		testkit.Check(t, !strings.Contains(policy, "unsafe") && !strings.Contains(policy, "*") &&
			!strings.Contains(policy, "http"), "%s: %q", path, policy)
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
			"Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin"} {
			testkit.Equal(t, h.Get(name), want, "%s: %s", path, name)
		}
		testkit.Equal(t, h.Get("Access-Control-Allow-Origin"), "", "%s: other sites may read it", path)
	}
	page := get(s, "/").Body.String()
	for _, inline := range []string{"<style", " style=", " onclick", "javascript:", "https:", "http:"} {
		testkit.Check(t, !strings.Contains(page, inline), "the page has %s", inline)
	}
}

// A page of another site learns nothing and makes nothing run.
func TestOtherSites(t *testing.T) {
	s := newRun(t).server(Options{})
	for _, tt := range []struct {
		headers []string
		want    int
	}{
		{nil, 200},
		{[]string{"Sec-Fetch-Site", "same-origin"}, 200},
		{[]string{"Sec-Fetch-Site", "none"}, 200}, // typed into the address bar
		{[]string{"Sec-Fetch-Site", "cross-site"}, 403},
		{[]string{"Sec-Fetch-Site", "same-site"}, 403}, // another port of this machine
		{[]string{"Origin", "http://localhost:8765"}, 200},
		{[]string{"Origin", "http://localhost:9999"}, 403},
		{[]string{"Origin", "https://evil.example"}, 403},
		{[]string{"Origin", "null"}, 403},
	} {
		for _, path := range []string{"/api/state", "/api/query?sql=best", "/api/views"} {
			testkit.Equal(t, get(s, path, tt.headers...).Code, tt.want, "%v asks for %s", tt.headers, path)
		}
	}
}

// More requests at once than there are places are told to come again.
func TestManyRequests(t *testing.T) {
	s := newRun(t).server(Options{})
	for range mostRequests {
		s.active <- struct{}{}
	}
	w := get(s, "/")
	testkit.Check(t, w.Code == http.StatusServiceUnavailable && w.Header().Get("Retry-After") != "",
		"one more: %d", w.Code)
	<-s.active
	for range 3 {
		testkit.Equal(t, get(s, "/").Code, http.StatusOK, "after one has ended")
	}
}

// An answer that the browser has is not sent again.
func TestUnchanged(t *testing.T) {
	r := newRun(t)
	s := r.server(Options{Draw: nothing})
	get(s, "/api/state") // begins to draw
	s.figures.work.Wait()
	first := get(s, "/api/state")
	testkit.Equal(t, get(s, "/api/state", "If-None-Match", first.Header().Get("ETag")).Code, http.StatusNotModified,
		"unchanged")
	r.record("one", "cpu_csr", 1)
	s.watcher.pace = pace{}
	testkit.Equal(t, get(s, "/api/state", "If-None-Match", first.Header().Get("ETag")).Code, http.StatusOK, "changed")
}

// A sweepRun is a database that is being written.
type sweepRun struct {
	t    *testing.T
	path string
	db   *store.DB
	n    int
}

// newRun begins a sweep of two matrices.
func newRun(t *testing.T) *sweepRun {
	t.Helper()
	path := filepath.Join(t.TempDir(), "results.db")
	r := &sweepRun{t: t, path: path, db: testkit.Must(store.Open(path))}
	t.Cleanup(func() { r.db.Close() })
	testkit.Succeed(r.t, r.db.Begin(t.Context(), tuner.RunInfo{
		Sweep:  &configs.Sweep{Name: "demo", Title: "A title", Text: []byte("title = \"A title\"\n")},
		Device: kernels.Device{Backend: "cpu", Name: "Testcore 9000", Driver: "1"}, Protocol: "p", Version: "test",
		Sources: map[string]string{"cpu_csr": "1", "cpu_coo": "1"},
	}))
	for _, name := range []string{"one", "two"} {
		testkit.Succeed(r.t, r.db.Matrix(t.Context(), trial.Matrix{Name: name, Hash: name, Class: "c", Source: "s", Field: "real",
			Symmetry: "general", Features: sparse.Features{Rows: 1000, Cols: 1000, Nonzeros: 1_000_000}}))
	}
	return r
}

// record records a trial.
func (r *sweepRun) record(matrix, kernel string, milliseconds float64) {
	r.t.Helper()
	r.n++
	result := trial.Result{
		Trial: trial.Trial{ID: strconv.Itoa(r.n), Matrix: matrix, Cache: trial.Warm,
			Config: kernels.Config{Kernel: kernel, Precision: kernels.Float64, Block: r.n}},
		Status: trial.OK, Median: milliseconds / 1e3, WithinLow: 0.99 * milliseconds / 1e3, WithinHigh: 1.01 * milliseconds / 1e3,
		BytesMin: 12_000_000, At: time.Now(), Stop: trial.StopTarget,
	}
	result.Samples = []float64{result.Median, result.Median, result.Median}
	testkit.Succeed(r.t, r.db.Record(r.t.Context(), result))
}

// says makes the run say how far it is.
func (r *sweepRun) says(s show.LiveState) {
	r.t.Helper()
	content := testkit.Must(json.Marshal(s))
	testkit.Succeed(r.t, os.WriteFile(filepath.Join(filepath.Dir(r.path), show.LiveFile), content, 0o666))
}

// server serves the run.
func (r *sweepRun) server(opt Options) *Server {
	opt.Database, opt.Name = r.path, "demo"
	if opt.Draw == nil {
		opt.Draw = Draw
	}
	s := New(opt)
	r.t.Cleanup(s.Close)
	return s
}

// get asks for a path as the page does, with further headers.
func get(s *Server, path string, headers ...string) *httptest.ResponseRecorder {
	return request(s, http.MethodGet, path, headers...)
}

func request(s *Server, method, path string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://localhost:8765"+path, nil)
	for i := 0; i < len(headers); i += 2 {
		if r.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w
}

// decoded reads a good answer.
func decoded[T any](t *testing.T, w *httptest.ResponseRecorder) (v T) {
	t.Helper()
	testkit.Require(t, w.Code == http.StatusOK, "%d: %s", w.Code, w.Body)
	testkit.Succeed(t, json.Unmarshal(w.Body.Bytes(), &v))
	return v
}

// nothing draws nothing.
func nothing(context.Context, string) ([]Picture, error) { return []Picture{}, nil }

// endAfter makes queries end after some time.
func endAfter(t *testing.T, limit time.Duration) {
	before := queryTime
	queryTime = limit
	t.Cleanup(func() { queryTime = before })
}

// A socket is its user's, and one that a killed server left is replaced.
func TestSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.sock")
	at := testkit.Must(Listen("unix:" + path))
	testkit.Equal(t, testkit.Must(os.Stat(path)).Mode().Perm(), 0o600, "its mode is")
	testkit.Fails(t, testkit.Err(Listen("unix:"+path)), "another server", "a second server")
	at.Listener.(*net.UnixListener).SetUnlinkOnClose(false)
	at.Close()
	at = testkit.Must(Listen("unix:" + path))
	at.Close()
}

// A server that takes no connection at the moment keeps its socket.
func TestBusySocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.sock")
	fd := testkit.Must(unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0))
	defer unix.Close(fd)
	testkit.Succeed(t, errors.Join(unix.Bind(fd, &unix.SockaddrUnix{Name: path}), unix.Listen(fd, 0)))
	var err error
	for err == nil { // until nobody more can wait
		var c net.Conn
		if c, err = net.Dial("unix", path); err == nil {
			defer c.Close()
		}
	}
	testkit.Require(t, errors.Is(err, syscall.EAGAIN), "%v", err)
	testkit.Fails(t, testkit.Err(Listen("unix:"+path)), "choose another path", "a second server")
	testkit.Must(os.Lstat(path)) // the socket of the first
}

// From the moment on at which a socket has a file, others can't connect.
func TestSocketIsPrivateAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.sock")
	l := testkit.Must((&net.ListenConfig{Control: private}).Listen(t.Context(), "unix", path))
	defer l.Close()
	testkit.Equal(t, testkit.Must(os.Stat(path)).Mode().Perm(), 0o600, "its mode is")
}

// A database that can't be read is not tried again before it is time, and the page goes on to say why.
func TestPaceOfFailures(t *testing.T) {
	r := newRun(t)
	testkit.Succeed(r.t, r.db.Close())
	s := r.server(Options{Draw: nothing})
	get(s, "/api/state")
	testkit.Succeed(r.t, os.Rename(r.path, r.path+".away"))
	testkit.Succeed(r.t, os.WriteFile(r.path, []byte(strings.Repeat("this is no database\n", 100)), 0o666))
	s.watcher.pace = pace{}
	for range 2 {
		w := get(s, "/api/state")
		testkit.Check(t, w.Code == http.StatusServiceUnavailable, "%d: %s", w.Code, w.Body)
		testkit.Check(t, time.Since(s.watcher.pace.ended) <= time.Minute, "it does not rest")
		s.watcher.pace.took = time.Hour
	}
	testkit.Succeed(r.t, os.Rename(r.path+".away", r.path))
	s.watcher.pace = pace{}
	testkit.Equal(t, get(s, "/api/state").Code, http.StatusOK, "it can be read again")
}

// Names come from files that others have made: signs in them that turn text or that a terminal obeys are made visible.
func TestNamesAreVisible(t *testing.T) {
	const bad = "\u202enam\u0007e\x1b[31m"
	r := newRun(t)
	testkit.Succeed(r.t, r.db.Begin(t.Context(), tuner.RunInfo{
		Sweep:  &configs.Sweep{Name: bad, Title: bad, Text: []byte("x")},
		Device: kernels.Device{Backend: "cpu", Name: bad, Driver: "1"}, Protocol: "p", Version: "test",
		Sources: map[string]string{"cpu_csr": "1", "cpu_coo": "1"},
	}))
	for i, kernel := range []string{"cpu_csr", "cpu_coo", "cpu_csr", "cpu_coo"} {
		r.record("one", kernel, float64(1+i))
		r.record("two", kernel, float64(2+i))
	}
	r.says(show.LiveState{Sweep: bad, Device: bad, Matrix: bad, At: time.Now()})
	s := r.server(Options{})
	s.watcher.name = bad
	get(s, "/api/state")
	s.figures.work.Wait()
	bodies := []string{"/api/state", "/api/map"}
	for _, path := range bodies {
		w := get(s, path)
		var said any
		testkit.Succeed(r.t, json.Unmarshal(w.Body.Bytes(), &said))
		everyText(said, func(text string) {
			testkit.Equal(t, text, term.Visible(text), "%s", path)
		})
	}
	testkit.Check(t, strings.Contains(get(s, "/api/state").Body.String(), "nam"), "an answer without the names")
}

// everyText calls do for each text in what JSON gives.
func everyText(v any, do func(string)) {
	switch v := v.(type) {
	case string:
		do(v)
	case []any:
		for _, element := range v {
			everyText(element, do)
		}
	case map[string]any:
		for name, member := range v {
			do(name)
			everyText(member, do)
		}
	}
}
