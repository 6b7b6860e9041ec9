// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"example.org/spmvtune/internal/base/files"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/sparse/cache"
)

// keep writes files of 100 bytes below dir, as old as that.
func keep(t *testing.T, dir string, files map[string]time.Duration) {
	t.Helper()
	for name, age := range files {
		path := filepath.Join(dir, name)
		testkit.Succeed(t, os.MkdirAll(filepath.Dir(path), 0o777))
		testkit.Succeed(t, os.WriteFile(path, make([]byte, 100), 0o666))

		then := time.Now().Add(-age)
		testkit.Succeed(t, os.Chtimes(path, then, then))
	}
}

func TestPrune(t *testing.T) {
	const day = 24 * time.Hour
	for _, tt := range []struct {
		name   string
		limits cache.Limits
		want   []string // what goes, used last first
	}{
		{"nothing", cache.NoLimits, nil},
		{"all", cache.Limits{}, []string{"A/asked", "A/new", "B/broken", "B/old"}},
		{"by age", cache.Limits{Unused: 30 * day, Size: math.MaxInt64}, []string{"B/old"}},
		{"by size", cache.Limits{Unused: cache.NoLimits.Unused, Size: 200}, []string{"B/broken", "B/old"}},
		{"by a size that a small one still fits", cache.Limits{Unused: cache.NoLimits.Unused, Size: 399},
			[]string{"B/broken"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &Collection{Dir: t.TempDir()}
			keep(t, c.Dir, map[string]time.Duration{
				"A/asked.tar.gz": 50 * day, "A/.asked.lock": time.Minute, // asked for a minute ago
				"A/new.tar.gz":         day,
				"B/broken.tar.gz.part": 2 * day, "B/broken.tar.gz.part.json": 2 * day,
				"B/old.tar.gz": 40 * day,
				"B/notes.txt":  90 * day, "readme.tar.gz": 90 * day, // not ours
			})

			removed, err := c.Prune(tt.limits)
			var got []string
			for _, d := range removed {
				got = append(got, d.ID.String())
			}

			testkit.Check(t, err == nil && slices.Equal(got, tt.want), "removed %q, %v, want %q", got, err, tt.want)
			for _, d := range c.Downloads() {
				testkit.Check(t, !slices.Contains(tt.want, d.ID.String()), "%s is still here", d.ID)
			}

			for _, name := range []string{"B/notes.txt", "readme.tar.gz"} {
				testkit.Must(os.Stat(filepath.Join(c.Dir, name)))
			}
		})
	}
}

// What a process is downloading is left to it.
func TestPruneLeavesDownloads(t *testing.T) {
	c := &Collection{Dir: t.TempDir()}
	keep(t, c.Dir, map[string]time.Duration{"A/now.tar.gz.part": 0})
	id := ID{"A", "now"}
	unlock, _, err := files.LockNow(c.lockFile(id))
	testkit.Succeed(t, err)

	testkit.Equal(t, len(testkit.Must(c.Prune(cache.Limits{}))), 0, "removed")
	unlock()
	if removed, err := c.Prune(cache.Limits{}); err != nil || len(removed) != 1 || removed[0].Bytes != 100 {
		t.Errorf("removed %v, %v", removed, err)
	}
}

// To ask for a file that is here makes it used, and changes nothing of the file.
func TestGetIsUse(t *testing.T) {
	c := &Collection{Dir: t.TempDir(), Offline: true}
	keep(t, c.Dir, map[string]time.Duration{"A/a.tar.gz": 48 * time.Hour, "A/.a.lock": 48 * time.Hour})
	testkit.Must(c.Get(t.Context(), ID{"A", "a"}))

	all := c.Downloads()
	testkit.Check(t, len(all) == 1 && time.Since(all[0].Used) <= time.Hour, "%+v", all)
	info, err := os.Stat(filepath.Join(c.Dir, "A/a.tar.gz"))
	testkit.Check(t, err == nil && time.Since(info.ModTime()) >= time.Hour, "the archive was changed: %v", err)
}

func TestParseID(t *testing.T) {
	for _, good := range []string{"DIMACS10/delaunay_n23", "HB/1138_bus", "Sandia/ASIC_100k",
		"DIMACS10/kron_g500-logn20"} {
		testkit.Equal(t, testkit.Must(ParseID(good)).String(), good, "ID")
	}

	for _, bad := range []string{"", "a", "a/", "/a", "a/b/c", "../b", "a/..", "./b", "a/.b", "a b/c", "a/b\n", `a\b/c`,
		"a/b%2f", "a/b?c"} {
		testkit.Fails(t, testkit.Err(ParseID(bad)), "", "%q", "%s", bad)
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
	testkit.Equal(t, testkit.Must(Default()).Dir, "", "the folder")
	for _, bad := range []string{"mirror", "ftp://a", "https://", "https://a?b=c"} {
		t.Setenv(EnvServers, bad)
		testkit.Fails(t, testkit.Err(Default()), "", "%s", bad)
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

	testkit.Equal(t, pauseBefore(1, time.Second, time.Minute), time.Minute, "pause")
	at := func(text string) time.Duration { return retryAfter(http.Header{"Retry-After": {text}}) }
	if d := at(time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)); d < 59*time.Minute || d > time.Hour {
		t.Errorf("%s", d)
	}

	if at("7") != 7*time.Second || at("soon") != 0 || at("-1") != 0 || at("Mon, 01 Jan 2001 00:00:00 GMT") != 0 {
		t.Error("Retry-After is misread")
	}
}
