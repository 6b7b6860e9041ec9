package serve

import (
	"net/http"
	"strings"
	"testing"

	"spmvtune/internal/testing/testkit"
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
		if w := request(s, method, "/api/query?sql=best"); w.Code != http.StatusMethodNotAllowed ||
			w.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: %d", method, w.Code)
		}
	}
	for _, path := range []string{"/", "/page.js", "/page.css", "/colours.css", "/api/state", "/api/views"} {
		testkit.Equal(t, request(s, "HEAD", path).Code, http.StatusOK, "HEAD %s", path)
		if w := get(s, path); w.Code != http.StatusOK || w.Body.Len() == 0 {
			t.Errorf("GET %s: %d", path, w.Code)
		}
	}
	for _, path := range []string{"/results.db", "/web/", "/page.html", "/api/", "/api/picture/",
		"/api/picture/results.db",
		"/..%2fresults.db", "/%2e%2e/results.db", "/api/picture/..%2f..%2fresults.db", "/page.js/../../results.db",
		"/.progress.json", "/api/picture/%2e%2e%2f.progress.json"} {
		// A path that is not plain is sent to a plain one, which is none of ours either.
		w := get(s, path)
		for range 2 {
			if to := w.Header().Get("Location"); to != "" {
				w = get(s, to)
			}
		}
		if w.Code != http.StatusNotFound {
			t.Errorf("GET %s: %d %s", path, w.Code, w.Body)
		}
	}
}

// Each answer tells the browser to load nothing from elsewhere, refusals as well.
func TestHeaders(t *testing.T) {
	s := newRun(t).server(Options{})
	for _, path := range []string{"/", "/page.js", "/page.css", "/api/state", "/api/query?sql=nosuch", "/nosuch"} {
		h := get(s, path).Header()
		policy := h.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'",
			"base-uri 'none'", "form-action 'none'"} {
			if !strings.Contains(policy, want) {
				t.Errorf("%s: %q is not in %q", path, want, policy)
			}
		}
		if strings.Contains(policy, "unsafe") || strings.Contains(policy, "*") || strings.Contains(policy, "http") {
			t.Errorf("%s: %q", path, policy)
		}
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
			"Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin"} {
			testkit.Equal(t, h.Get(name), want, "%s: %s", path, name)
		}
		testkit.Equal(t, h.Get("Access-Control-Allow-Origin"), "", "%s: other sites may read it", path)
	}
	page := get(s, "/").Body.String()
	for _, inline := range []string{"<style", " style=", " onclick", "javascript:", "https:", "http:"} {
		if strings.Contains(page, inline) {
			t.Errorf("the page has %s", inline)
		}
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
	if w := get(s, "/"); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("one more: %d", w.Code)
	}
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
