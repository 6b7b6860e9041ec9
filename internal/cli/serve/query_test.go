// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/store"
)

func ask(s *Server, sql string) (code int, body string) {
	w := get(s, "/api/query?sql="+url.QueryEscape(sql))
	return w.Code, w.Body.String()
}

// A query answers with texts, as the database has them.
func TestQuery(t *testing.T) {
	r := newRun(t)
	r.record("one", "cpu_csr", 1)
	r.record("two", "cpu_coo", 2)
	s := r.server(Options{})
	got := decoded[answerTable](t, get(s, "/api/query?sql="+url.QueryEscape(
		"select matrix, median_ms, null as missing, x'00ff' as bytes from results order by matrix")))
	testkit.Equal(t, joined(got.Rows), "one 1  00ff|two 2  00ff", "rows")
	testkit.Check(t, !got.Right[0] && got.Right[1], "at the right: %v", got.Right)
	testkit.Equal(t, len(decoded[answerTable](t, get(s, "/api/query?sql=best")).Rows), 2, "the view best has")
}

func joined(rows [][]string) string {
	return strings.Join(lists.Of(rows, func(row []string) string { return strings.Join(row, " ") }), "|")
}

// What would change the database, or needs too much, is refused in words, and the database stays.
func TestQueriesThatAreRefused(t *testing.T) {
	r := newRun(t)
	r.record("one", "cpu_csr", 1)
	s := r.server(Options{})
	for sql, want := range map[string]string{
		"":                                "nothing to run",
		"delete from trial":               "only reads",
		"drop view best":                  "only reads",
		"pragma user_version = 7":         "only reads",
		"attach '/etc/passwd' as x":       "only reads",
		"select load_extension('x')":      "not authorized",
		"select 1; delete from trial":     "one statement at a time",
		"select nosuch from results":      "no column",
		"select * from nosuch":            "no view or table",
		"select zeroblob(1000000000)":     "larger than",
		strings.Repeat(" ", queryText+1):  "KB",
		"select 1 from best where x = 'a": "does not run",
	} {
		code, body := ask(s, sql)
		testkit.Check(t, code >= 400 && code < 500 && strings.Contains(body, want), "%.40q: %d %s", sql, code, body)
	}
	testkit.Equal(t, len(decoded[answerTable](t, get(s, "/api/query?sql=results")).Rows), 1, "the database has")
}

// A long answer is cut, and says so.
func TestLongAnswers(t *testing.T) {
	endAfter(t, time.Hour) // the machine may be busy
	s := newRun(t).server(Options{})
	const numbers = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000) select i, "
	for sql, check := range map[string]func(answerTable) bool{
		numbers + "'x' from n": func(a answerTable) bool { return len(a.Rows) == queryRows },
		numbers + "printf('%.*c', 9000, 'x'), printf('%.*c', 9000, 'y') from n": func(a answerTable) bool {
			return len(a.Rows) == queryBytes/(2*cellBytes+10) && len(a.Rows[0][1]) == cellBytes+len("…")
		},
		numbers + "zeroblob(9000) from n": func(a answerTable) bool { return len(a.Rows[0][1]) < 100 },
	} {
		w := get(s, "/api/query?sql="+url.QueryEscape(sql))
		got := decoded[answerTable](t, w)
		if !check(got) || !strings.Contains(got.Note, "only the first") || w.Body.Len() > 2*queryBytes {
			t.Errorf("%s: %d rows of %d bytes, %q", sql, len(got.Rows), w.Body.Len(), got.Note)
		}
	}
}

// A cell is cut between two characters.
func TestLongCells(t *testing.T) {
	for _, prefix := range []string{"", "x", "xx", "xxx"} {
		got := fmt.Sprint(cell(prefix + strings.Repeat("😀", cellBytes)))
		testkit.Check(t, utf8.ValidString(got) && strings.Trim(got, "x😀") == "…" && len(got) >= cellBytes-utf8.UTFMax,
			"after %q: …%q, %d bytes", prefix, got[len(got)-10:], len(got))
	}
}

// The longest query passes through the limits of the server whatever its letters are, and a longer one is told so, by
// the page before it asks.
func TestLongQueries(t *testing.T) {
	s := newRun(t).server(Options{})
	h := s.HTTP()
	l := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))
	go h.Serve(l)
	defer h.Close()
	for n, want := range map[int]string{queryText: `"rows":[["1"]]`, queryText + 1: "the query has more than 16 KB"} {
		sql := "select 1 -- é"
		sql += strings.Repeat("é", (n-len(sql))/2) + strings.Repeat("!", (n-len(sql))%2)
		r := testkit.Must(http.Get("http://" + l.Addr().String() + "/api/query?sql=" + url.QueryEscape(sql)))
		body, err := io.ReadAll(r.Body)
		if r.Body.Close(); err != nil || !strings.Contains(string(body), want) {
			t.Errorf("%d bytes: %d %s %v", n, r.StatusCode, body, err)
		}
	}
	script := get(s, "/page.js").Body.String()
	testkit.Check(t, strings.Contains(script, fmt.Sprintf("queryText = %d;", queryText)), "the page has another limit")
}

// A query that does not end is ended, and others go on meanwhile.
func TestQueriesThatDoNotEnd(t *testing.T) {
	r := newRun(t)
	s := r.server(Options{})
	endAfter(t, 50*time.Millisecond)
	const endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n"
	code, body := ask(s, endless)
	testkit.Check(t, code == http.StatusBadRequest && strings.Contains(body, "did not end within"), "%d %s", code, body)
	for range mostQueries {
		s.queries <- struct{}{}
	}
	code, _ = ask(s, "best")
	testkit.Equal(t, code, http.StatusServiceUnavailable, "one more than there are places")
	testkit.Equal(t, get(s, "/api/state").Code, http.StatusOK, "the page waits for queries")
	r.record("one", "cpu_csr", 1) // which a reader does not keep from going on
}

// Each view is explained.
func TestViews(t *testing.T) {
	got := decoded[[]store.View](t, get(newRun(t).server(Options{}), "/api/views"))
	testkit.Check(t, reflect.DeepEqual(got, store.Explained()), "%+v", got)
}

// A database that is not there any more is said, and one that comes back is read.
func TestDatabaseGoes(t *testing.T) {
	r := newRun(t)
	r.record("one", "cpu_csr", 1)
	s := r.server(Options{})
	if code, body := ask(s, "best"); code != http.StatusOK {
		t.Fatal(code, body)
	}
	testkit.Succeed(t, os.Rename(r.path, r.path+".away"))
	for _, path := range []string{"/api/query?sql=best", "/api/state"} {
		w := get(s, path)
		testkit.Check(t, w.Code == http.StatusServiceUnavailable && strings.Contains(w.Body.String(), "not there"),
			"%s: %d %s", path, w.Code, w.Body)
	}
	testkit.Succeed(t, os.Rename(r.path+".away", r.path))
	code, body := ask(s, "best")
	testkit.Check(t, code == http.StatusOK, "%v %v", code, body)
}
