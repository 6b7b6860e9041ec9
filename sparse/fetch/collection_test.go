package fetch

import (
	"net/http"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"spmvtune/sparse/cache"
)

func TestParseID(t *testing.T) {
	for _, good := range []string{"DIMACS10/delaunay_n23", "HB/1138_bus", "Sandia/ASIC_100k",
		"DIMACS10/kron_g500-logn20"} {
		if id, err := ParseID(good); err != nil || id.String() != good {
			t.Errorf("%s: %v, %v", good, id, err)
		}
	}

	for _, bad := range []string{"", "a", "a/", "/a", "a/b/c", "../b", "a/..", "./b", "a/.b", "a b/c", "a/b\n", `a\b/c`,
		"a/b%2f", "a/b?c"} {
		if id, err := ParseID(bad); err == nil {
			t.Errorf("%q is %v", bad, id)
		}
	}
}

func TestDefault(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(cache.Env, dir)
	t.Setenv(EnvServers, "")
	t.Setenv(EnvOffline, "0")
	c, err := Default()
	if err != nil || !slices.Equal(c.Servers, Servers) || c.Offline || c.Dir != filepath.Join(dir, "suitesparse") {
		t.Errorf("%+v, %v", c, err)
	}

	t.Setenv(EnvServers, "http://mirror:8080/ss/  https://b")
	t.Setenv(EnvOffline, "1")
	c, err = Default()
	if err != nil || !slices.Equal(c.Servers, []string{"http://mirror:8080/ss", "https://b"}) || !c.Offline {
		t.Errorf("%+v, %v", c, err)
	}

	t.Setenv(cache.Env, "off")
	if c, err := Default(); err != nil || c.Dir != "" {
		t.Errorf("%+v, %v", c, err)
	}
	for _, bad := range []string{"mirror", "ftp://a", "https://", "https://a?b=c"} {
		t.Setenv(EnvServers, bad)
		if _, err := Default(); err == nil {
			t.Errorf("%s is a server", bad)
		}
	}
}

// Pauses double up to a bound, by chance, and are as long as the server wishes.
func TestPause(t *testing.T) {
	for try, most := range map[int]time.Duration{1: time.Second, 3: 4 * time.Second, 20: longestPause,
		99: longestPause} {
		for range 100 {
			if d := pauseBefore(try, time.Second, 0); d < most/2 || d > most {
				t.Errorf("try %d after %s", try, d)
			}
		}
	}

	if d := pauseBefore(1, time.Second, time.Minute); d != time.Minute {
		t.Errorf("%s", d)
	}
	at := func(text string) time.Duration { return retryAfter(http.Header{"Retry-After": {text}}) }
	if d := at(time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)); d < 59*time.Minute || d > time.Hour {
		t.Errorf("%s", d)
	}

	if at("7") != 7*time.Second || at("soon") != 0 || at("-1") != 0 || at("Mon, 01 Jan 2001 00:00:00 GMT") != 0 {
		t.Error("Retry-After is misread")
	}
}
