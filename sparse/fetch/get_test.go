// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/spmvtune/internal/testing/testkit"
)

// Whatever a server does on the way, the file is the archive in the end. ranges are what
// is asked for.
func TestGet(t *testing.T) {
	good := archive(t, "N", 400_000, 1)
	const half = 300_000
	resumed := []string{"", "bytes=300000-"}
	for _, tt := range []struct {
		name   string
		faults []fault
		ranges []string
	}{
		{"good", nil, []string{""}},
		{"cut", []fault{cut(half)}, resumed},
		{"cut often", slices.Repeat([]fault{cut(80_000)}, 9), nil},
		{"stalled", []fault{stall(half)}, resumed},
		{"stalled at once", []fault{stall(0)}, []string{"", ""}},
		{"errors of the server", []fault{code(500), code(502), code(503, "Retry-After", "0")},
			[]string{"", "", "", ""}},
		{"too many requests", []fault{code(429, "Retry-After", "1")}, []string{"", ""}},
		{"no ranges", []fault{whole(half), whole(len(good))}, []string{"", ""}},
		{"ranges are refused", []fault{cut(half), code(416)}, []string{"", "bytes=300000-", ""}},
		{"another range", []fault{cut(half),
			code(206, "Content-Range", "bytes 0-9/10")}, []string{"", "bytes=300000-", ""}},
		{"wrong content once", []fault{page("<html>log in")}, []string{"", ""}},
		{"wrong length", []fault{page(string(good[:half]))}, []string{"", ""}},
		{"redirect", []fault{code(302, "Location", "/MM/G/N.tar.gz")}, []string{"", ""}},
		{"redirects in a circle", slices.Repeat([]fault{code(302, "Location", "/MM/G/N.tar.gz")}, 5), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, good, tt.faults...)
			s.sum = sumOf(good)
			c := collection(t, s)
			f := testkit.Must(c.Get(t.Context(), gn))

			holds(t, c, good)
			testkit.EqualLists(t, []any{f.Bytes, f.URL}, []any{int64(len(good)), s.URL + "/MM/G/N.tar.gz"}, "fetched")
			got := s.asked()
			testkit.Check(t, tt.ranges == nil || slices.Equal(got, tt.ranges), "asked for %q, want %q", got, tt.ranges)

			s.Close() // nobody is asked again
			testkit.Equal(t, testkit.Must(c.Get(t.Context(), gn)).URL, "", "asked again")
		})
	}
}

// endless answers with more and more, of a length that is not told.
func endless(_ *server, w http.ResponseWriter, r *http.Request) {
	for r.Context().Err() == nil {
		fmt.Fprint(w, strings.Repeat("<html>", 1000))
	}
}

// What can't be had says why, and whether there is such a matrix. asked is how often the
// server was.
func TestCannot(t *testing.T) {
	good := archive(t, "N", 1000, 1)
	all := func(f fault) []fault { return slices.Repeat([]fault{f}, 20) }

	for _, tt := range []struct {
		name    string
		content []byte
		sum     string
		faults  []fault
		kind    error
		asked   int
		want    string
	}{
		{"missing", good, "", all(code(404)), ErrNotFound, 1, "case of group and name"},
		{"always 500", good, "", all(code(500)), ErrUnavailable, 6, "500 Internal Server Error"},
		{"forbidden", good, "", all(code(403)), ErrUnavailable, 1, "403 Forbidden"},
		{"always stalled", good, "", all(stall(0)), ErrUnavailable, 6, "nothing came for 300ms"},
		{"a long wait", good, "", all(code(503, "Retry-After", "3600")), ErrUnavailable, 1, "come back in 1h0m0s"},
		{"a page", good, "", all(page("<html>")), ErrUnavailable, 2, "not the archive: it is not a gzip"},
		{"a page without an end", good, "", all(endless), ErrUnavailable, 2, "not the archive: it is not a gzip"},
		{"a trickle", good, "", all(trickle), ErrUnavailable, 2, "next to nothing came"},
		{"no matrix of that name", archive(t, "M", 1000, 1), "", nil, ErrUnavailable, 2, "no file N/N.mtx is in it"},
		{"another digest", good, sumOf([]byte("x")), nil, ErrUnavailable, 2, "its MD5 is " + sumOf(good) +
			", and should be " + sumOf([]byte("x"))},
		{"cut archive", good[:len(good)-9], "", nil, ErrUnavailable, 2, "unexpected EOF"},
		{"endless redirects", good, "", all(code(302, "Location", "/MM/G/N.tar.gz")), ErrUnavailable, 6,
			"more than 5 redirects"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, tt.content, tt.faults...)
			s.sum = tt.sum
			c := collection(t, s)
			_, err := c.Get(t.Context(), gn)
			if !errors.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.want) ||
				!strings.Contains(err.Error(), s.URL) {
				t.Errorf("%v", err)
			}

			testkit.Equal(t, len(s.asked()), tt.asked, "requests")
			path, there := c.Path(gn)
			testkit.Check(t, !there, "%s is there", path)
		})
	}
}

// A digest that comes byte by byte, for ever, is not waited for.
func TestDigestTrickles(t *testing.T) {
	good := archive(t, "N", 1000, 1)
	s := serve(t, good)
	s.lasting = true
	c := collection(t, s)
	testkit.Must(c.Get(t.Context(), gn))
	holds(t, c, good)
}

// An archive of unknown size may fill half of the disk, and has an end there.
func TestRoom(t *testing.T) {
	p := testkit.Must(openPartial(filepath.Join(t.TempDir(), "x")))
	defer p.leave(false)
	most, err := p.room()
	testkit.Check(t, err == nil && most > 0 && most <= largest/2, "%d bytes, %v", most, err)
	c, body := &Collection{}, strings.NewReader("\x1f\x8b"+strings.Repeat("x", 1000))
	testkit.Fails(t, c.copy(gn, p, body, 100), "more than 100 bytes arrived")
}

// A try goes on with what an earlier process has left, if it is of the same content.
func TestResume(t *testing.T) {
	old, changed := archive(t, "N", 400_000, 1), archive(t, "N", 400_000, 2)
	for _, tt := range []struct {
		name   string
		change func(s *server)
		want   []byte
		ranges []string
	}{
		{"same", func(*server) {}, old, []string{"", "bytes=300000-"}},
		{"changed", func(s *server) { s.content, s.etag = changed, `"2"` }, changed, []string{"", "bytes=300000-"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			s := serve(t, old, stall(300_000))
			c := collection(t, s)
			c.Stall = time.Minute
			c.Notify = func(p Progress) {
				if p.Have == 300_000 {
					cancel()
				}
			}

			testkit.Is(t, testkit.Err(c.Get(ctx, gn)), context.Canceled, "interrupted")
			path, _ := c.Path(gn)
			testkit.Equal(t, testkit.Must(os.Stat(path+".part")).Size(), 300_000, "bytes there")

			tt.change(s)
			testkit.Must(c.Get(t.Context(), gn))
			holds(t, c, tt.want)
			testkit.EqualLists(t, s.asked(), tt.ranges, "asked for")
		})
	}
}

// Without a tag or a date nothing tells whether the rest is of the same content.
func TestNoValidator(t *testing.T) {
	good := archive(t, "N", 400_000, 1)
	s := serve(t, good, cut(300_000))
	s.etag = `W/"weak"`
	c := collection(t, s)
	testkit.Must(c.Get(t.Context(), gn))

	holds(t, c, good)
	testkit.EqualLists(t, s.asked(), []string{"", ""}, "asked for")
}

// The next server is asked where one fails, and one that can't be reached is not asked
// for the next matrix.
func TestServers(t *testing.T) {
	good := archive(t, "N", 1000, 1)
	gone, working := serve(t, nil), serve(t, good)
	gone.Close()
	c := collection(t, gone, working)
	f, err := c.Get(t.Context(), gn)
	testkit.Require(t, err == nil && strings.HasPrefix(f.URL, working.URL), "%+v, %v", f, err)

	holds(t, c, good)
	pauses := 0
	c.Notify = func(p Progress) {
		if p.State == Retrying {
			pauses++
		}
	}

	if _, err := c.Get(t.Context(), ID{"G", "other"}); !errors.Is(err, ErrUnavailable) || pauses > 0 {
		t.Errorf("%v after %d pauses", err, pauses)
	}
}

func TestOffline(t *testing.T) {
	s := serve(t, archive(t, "N", 1000, 1))
	c := collection(t, s)
	c.Offline = true
	_, err := c.Get(t.Context(), gn)
	testkit.Is(t, err, ErrUnavailable, "offline")
	testkit.Fails(t, err, "spmvtune matrix get G/N")

	c.Dir = ""
	_, err = c.Get(t.Context(), gn)
	testkit.Is(t, err, ErrUnavailable, "offline")
	testkit.Fails(t, err, "SPMVTUNE_CACHE")

	testkit.EqualLists(t, s.asked(), nil, "the server was asked for")
}

// A disk that is full, or a folder that can't be written to, is not the server's fault.
func TestDisk(t *testing.T) {
	s := serve(t, nil, func(_ *server, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "9000000000000000000")
	})
	c := collection(t, s)
	if _, err := c.Get(t.Context(), gn); err == nil || errors.Is(err, ErrUnavailable) ||
		!strings.Contains(err.Error(), "free some space") {
		t.Error(err)
	}

	c.Dir = os.DevNull
	if _, err := c.Get(t.Context(), gn); err == nil || errors.Is(err, ErrUnavailable) ||
		!strings.Contains(err.Error(), "not a directory") {
		t.Error(err)
	}
}

// transport answers as the servers of a map do, by their addresses; a header stands for
// a redirect.
type transport map[string]string

func (m transport) RoundTrip(r *http.Request) (*http.Response, error) {
	body, known := m[r.URL.String()]
	resp := &http.Response{Request: r, Header: http.Header{}, StatusCode: 404, Status: "404 Not Found",
		ContentLength: -1}
	if to, moved := strings.CutPrefix(body, "-> "); moved {
		resp.StatusCode, body = 301, ""
		resp.Header.Set("Location", to)
	} else if known {
		resp.StatusCode = 200
	}

	resp.Body = io.NopCloser(strings.NewReader(body))
	return resp, nil
}

// What is asked for over HTTPS never comes by plain http.
func TestStaysSecure(t *testing.T) {
	good := archive(t, "N", 1000, 1)
	const page = "https://a/MM/G/N.tar.gz"
	for _, tt := range []struct {
		name  string
		world transport
		want  string // the error, "" for none
	}{
		{"elsewhere", transport{page: "-> https://b/x", "https://b/x": string(good)}, ""},
		{"to plain http", transport{page: "-> http://b/x", "https://b/x": string(good), "http://b/x": "no"}, ""},
		{"with its port", transport{page: "-> http://b:80/x", "https://b/x": string(good)}, ""},
		{"only http", transport{page: "-> http://b/x", "http://b/x": string(good)}, "404"},
		{"another port", transport{page: "-> http://b:8080/x", "http://b:8080/x": string(good)},
			"a redirect from https to http://b:8080 is not followed"},
		{"another scheme", transport{page: "-> ftp://b/x"}, "ftp"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &Collection{Servers: []string{"https://a"}, Dir: t.TempDir(), Stall: time.Minute,
				pause: time.Millisecond, transport: tt.world}
			_, err := c.Get(t.Context(), gn)
			if tt.want == "" && err == nil {
				holds(t, c, good)
				return
			}

			testkit.Check(t, err != nil && tt.want != "" && strings.Contains(err.Error(), tt.want), "%v", err)
		})
	}

	plain := &Collection{Servers: []string{"http://a"}, Dir: t.TempDir(), Stall: time.Minute, transport: transport{
		"http://a/MM/G/N.tar.gz": "-> http://b/x", "http://b/x": string(good)}}
	testkit.Must(plain.Get(t.Context(), gn)) // a mirror that is asked over http
}
