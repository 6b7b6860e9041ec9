package fetch

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

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

			if err == nil || tt.want == "" || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v", err)
			}
		})
	}

	plain := &Collection{Servers: []string{"http://a"}, Dir: t.TempDir(), Stall: time.Minute, transport: transport{
		"http://a/MM/G/N.tar.gz": "-> http://b/x", "http://b/x": string(good)}}
	if _, err := plain.Get(t.Context(), gn); err != nil {
		t.Errorf("a mirror that is asked over http: %v", err)
	}
}
