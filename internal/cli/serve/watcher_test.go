package serve

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"spmvtune/configs"
	"spmvtune/internal/base/term"
	"spmvtune/internal/cli/show"
	"spmvtune/internal/testing/testkit"
	"spmvtune/kernels"
	"spmvtune/tuner"
)

// A database that can't be read is not tried again before it is time, and the page goes on to say why.
func TestPaceOfFailures(t *testing.T) {
	r := newRun(t)
	r.must(r.db.Close())
	s := r.server(Options{Draw: nothing})
	get(s, "/api/state")
	r.must(os.Rename(r.path, r.path+".away"))
	r.must(os.WriteFile(r.path, []byte(strings.Repeat("this is no database\n", 100)), 0o666))
	s.watcher.pace = pace{}
	for range 2 {
		if w := get(s, "/api/state"); w.Code != http.StatusServiceUnavailable {
			t.Errorf("%d: %s", w.Code, w.Body)
		}
		if time.Since(s.watcher.pace.ended) > time.Minute {
			t.Error("it does not rest")
		}
		s.watcher.pace.took = time.Hour
	}
	r.must(os.Rename(r.path+".away", r.path))
	s.watcher.pace = pace{}
	if w := get(s, "/api/state"); w.Code != http.StatusOK {
		t.Errorf("it can be read again: %d: %s", w.Code, w.Body)
	}
}

// Names come from files that others have made: signs in them that turn text or that a terminal obeys are made visible.
func TestNamesAreVisible(t *testing.T) {
	const bad = "\u202enam\u0007e\x1b[31m"
	r := newRun(t)
	r.must(r.db.Begin(t.Context(), tuner.RunInfo{
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
	bodies := []string{"/api/state", "/api/figures"}
	for _, f := range decoded[Drawing](t, get(s, "/api/figures")).Figures {
		for _, p := range f.Pictures {
			bodies = append(bodies, "/api/picture/"+p.Digest)
		}
	}
	for _, path := range bodies {
		w := get(s, path)
		var said any
		r.must(json.Unmarshal(w.Body.Bytes(), &said))
		everyText(said, func(text string) {
			testkit.Equal(t, text, term.Visible(text), "%s", path)
		})
	}
	if len(bodies) < 3 || !strings.Contains(get(s, "/api/state").Body.String(), "nam") {
		t.Errorf("%d answers, without the names", len(bodies))
	}
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
