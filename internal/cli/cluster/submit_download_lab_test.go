package cluster_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spmvtune/internal/testing/slurmlab"
	"spmvtune/sparse/cache"
	"spmvtune/sparse/fetch"
)

const downloadSweep = `name = "down"
[protocol]
cache = "warm"
samples = [3, 5]
trial_budget = "5ms"
[[matrix]]
suitesparse = "HB/five"
generate = "mycielskian"
order = 4
[[matrix]]
suitesparse = "HB/page"
generate = "mycielskian"
order = 5
[[kernel]]
name = "cpu_csr"
[slurm]
time = "00:05:00"
`

// submit downloads what there is, and takes the twin of what no server gives; the tasks,
// which reach no server, measure that.
func TestSubmitDownloads(t *testing.T) {
	server := httptest.NewServer(http.FileServer(http.Dir("../testdata/collection")))
	t.Setenv(cache.Env, t.TempDir())
	t.Setenv(fetch.EnvServers, server.URL)
	c := newCluster(t, slurmlab.Options{})
	path := filepath.Join(c.Dir, "down.toml")
	if err := os.WriteFile(path, []byte(downloadSweep), 0o666); err != nil {
		t.Fatal(err)
	}
	out := c.do(0, "submit", path)
	server.Close()
	if !strings.Contains(out, "downloaded HB/five") || !strings.Contains(strings.Join(strings.Fields(out), " "), "note: page (twin) is generated and measured in place of HB/page") {
		t.Errorf("submit says:\n%s", out)
	}
	dirs, err := filepath.Glob(filepath.Join(c.Dir, "runs", "down-*"))
	if err != nil || len(dirs) != 1 {
		t.Fatalf("%v, %v", dirs, err)
	}
	c.wait(dirs[0], "the end", over)
	got := c.do(0, "query", "--db", filepath.Join(dirs[0], "results.db"), "--format", "csv",
		"SELECT m.name, m.source, count(*) FROM matrix m JOIN trial t ON t.matrix = m.id GROUP BY m.name ORDER BY m.name")
	if want := "five,SuiteSparse HB/five,2\npage (twin),twin of HB/page: mycielskian(order=5),2\n"; !strings.HasSuffix(got, want) {
		t.Errorf("measured were\n%s, want\n%s", got, want)
	}
}
