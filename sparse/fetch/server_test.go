// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"

	"example.org/spmvtune/internal/testing/testkit"
)

// archive packs a matrix of that name, of about n bytes that do not compress.
func archive(tb testing.TB, name string, n int, seed uint64) []byte {
	tb.Helper()
	noise := make([]byte, n)
	rng := rand.NewChaCha8([32]byte{byte(seed)})
	rng.Read(noise)
	text := append([]byte("%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 7\n%"),
		hex.EncodeToString(noise)...)
	var b bytes.Buffer

	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, err := range []error{
		w.WriteHeader(&tar.Header{Name: name + "/" + name + ".mtx", Mode: 0o644, Size: int64(len(text)),
			Typeflag: tar.TypeReg}),
		func() error { _, err := w.Write(text); return err }(),
		w.Close(), z.Close(),
	} {
		if err != nil {
			tb.Fatal(err)
		}
	}

	return b.Bytes()
}

// A fault answers a request.
type fault func(s *server, w http.ResponseWriter, r *http.Request)

// A server is one of the collection with faults: the n-th request for an archive is
// answered by faults[n], and by the archive when there are no more of them.
type server struct {
	*httptest.Server
	mu      sync.Mutex
	content []byte
	etag    string
	faults  []fault
	ranges  []string // Range of each request for the archive, "" for all of it
	sum     string   // in the file .md5, "" for none
	lasting bool     // the file .md5 comes byte by byte, and has no end
}

func serve(t *testing.T, content []byte, faults ...fault) *server {
	t.Helper()
	s := &server{content: content, etag: `"1"`, faults: faults}
	s.Server = httptest.NewServer(http.HandlerFunc(s.answer))
	t.Cleanup(s.Close)
	return s
}

func (s *server) answer(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	sum, lasting := s.sum, s.lasting
	s.mu.Unlock()
	switch r.URL.Path {
	case "/MM/G/N.tar.gz":
	case "/MM/G/N.tar.gz.md5":
		if lasting {
			trickle(s, w, r)
			return
		}
		if sum != "" {
			fmt.Fprintf(w, "%s  N.tar.gz\n", sum)
			return
		}
		fallthrough

	default:
		http.NotFound(w, r)
		return
	}

	s.mu.Lock()
	s.ranges = append(s.ranges, r.Header.Get("Range"))
	var wrong fault
	if len(s.faults) > 0 {
		wrong, s.faults = s.faults[0], s.faults[1:]
	}

	s.mu.Unlock()
	if wrong != nil {
		wrong(s, w, r)
		return
	}
	s.give(w, r)
}

// give answers as a good server does.
func (s *server) give(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("ETag", s.etag)
	http.ServeContent(w, r, "N.tar.gz", time.Time{}, bytes.NewReader(s.content))
}

func (s *server) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ranges
}

// cut answers with the first n bytes of what is asked for, and breaks the connection.
func cut(n int) fault {
	return func(s *server, w http.ResponseWriter, r *http.Request) {
		s.give(&cutter{ResponseWriter: w, left: n}, r)
		panic(http.ErrAbortHandler)
	}
}

// whole answers with all of it, whatever part is asked for, and breaks after n bytes.
func whole(n int) fault {
	return func(s *server, w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(s.content)))
		w.Write(s.content[:n])
		w.(http.Flusher).Flush()
		if n < len(s.content) {
			panic(http.ErrAbortHandler)
		}
	}
}

// stall sends n bytes and then nothing until the client goes away.
func stall(n int) fault {
	return func(s *server, w http.ResponseWriter, r *http.Request) {
		s.give(&cutter{ResponseWriter: w, left: n}, r)
		<-r.Context().Done()
	}
}

// trickle sends the archive byte by byte, until the client goes away.
func trickle(s *server, w http.ResponseWriter, r *http.Request) {
	for i := 0; r.Context().Err() == nil; i++ {
		w.Write([]byte{s.content[i%len(s.content)]})
		w.(http.Flusher).Flush()
		time.Sleep(10 * time.Millisecond)
	}
}

// code answers with a status.
func code(n int, header ...string) fault {
	return func(_ *server, w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(n)
	}
}

// page answers with another content.
func page(text string) fault {
	return func(_ *server, w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) }
}

// A cutter passes on the first bytes.
type cutter struct {
	http.ResponseWriter
	left int
}

func (c *cutter) Write(p []byte) (int, error) {
	n := min(len(p), c.left)
	c.ResponseWriter.Write(p[:n])
	c.left -= n
	if c.left == 0 {
		c.ResponseWriter.(http.Flusher).Flush()
		return n, http.ErrAbortHandler
	}
	return n, nil
}

// collection is one of these servers, in a hurry.
func collection(t *testing.T, servers ...*server) *Collection {
	t.Helper()
	c := &Collection{Dir: t.TempDir(), Stall: 300 * time.Millisecond, pause: time.Millisecond}
	for _, s := range servers {
		c.Servers = append(c.Servers, s.URL)
	}
	return c
}

var gn = ID{"G", "N"}

// sumOf is the MD5 of b as a server writes it.
func sumOf(b []byte) string { return fmt.Sprintf("%x", md5.Sum(b)) }

// holds checks that the matrix's file has this content, and that nothing else is left.
func holds(t *testing.T, c *Collection, want []byte) {
	t.Helper()
	path, there := c.Path(gn)
	got, err := os.ReadFile(path)
	testkit.Check(t, err == nil && there && bytes.Equal(got, want), "%d bytes, %v; want %d", len(got), err, len(want))

	for _, rest := range []string{path + ".part", path + ".part.json"} {
		testkit.Fails(t, testkit.Err(os.Stat(rest)), "", "%s", rest)
	}
}
