// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"example.org/spmvtune/internal/testing/browser"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/sparse/cache"
)

// endless is a sweep that measures for as long as a test looks.
const endless = `
	title = "A sweep that goes on"
	protocol = { cache = "warm", samples = [20, 20], trial_budget = "100ms" }
	device = { backend = "cpu" }
	matrix = [
		{ name = "grid", generate = "grid_5pt", nx = 60, ny = 60 },
		{ name = "wide", generate = "grid_5pt", nx = 90, ny = 20 },
	]
	[[kernel]]
	name = ["cpu_csr_rows", "cpu_coo_chunks"]
	precision = ["float32", "float64"]
	block = { from = 1, to = 4000, step = 1 }
	grid = 1
`

// serving starts serve on a sweep that is measured then, and returns its address.
func serving(t *testing.T) (run, serve *exec.Cmd, url string) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv(cache.Env, "off")
	testkit.Succeed(t, os.WriteFile("endless.toml", []byte(endless), 0o666))
	serve = exec.Command("spmvtune", "serve", "endless", "--listen", "localhost:0")
	said := testkit.Must(serve.StdoutPipe())
	serve.Stderr = os.Stderr
	testkit.Succeed(t, serve.Start())
	answers := bufio.NewReader(said)
	testkit.Says(t, "serve before the run", testkit.Must(answers.ReadString('\n')), "waiting for endless to begin")
	run = exec.Command("spmvtune", "run", "endless.toml", "--no-report")
	started := testkit.Must(run.StdoutPipe())
	testkit.Succeed(t, run.Start())
	lines := bufio.NewScanner(started)
	for lines.Scan() && !strings.Contains(lines.Text(), "best so far") { // it has measured
	}
	go func() {
		for lines.Scan() {
		}
	}()

	t.Cleanup(func() {
		_ = run.Process.Kill()
		_ = serve.Process.Kill()
	})
	line := testkit.Must(answers.ReadString('\n'))
	_, url, _ = strings.Cut(line, " served at ")
	url, _, _ = strings.Cut(url, ";")
	return run, serve, url
}

// A browser shows a run while it measures, within the page's policy, in the dark and on a telephone,
// answers queries, and says how the run ended and that the server has.
func TestServeInABrowser(t *testing.T) {
	testkit.Long(t, "a browser looks at a sweep for some ten seconds")
	b := browser.Start(t)
	run, serve, url := serving(t)
	b.Open(url)

	b.Until(`document.getElementById("doing")?.textContent.startsWith("Measuring on ")`)
	testkit.Equal(t, b.Value(`document.getElementById("titles").textContent`), "endless: A sweep that goes on",
		"the title")
	b.Until(`document.querySelectorAll("#best-table tbody tr").length >= 2`)
	before := b.Value(`document.getElementById("counts").textContent`)
	b.Until(fmt.Sprintf(`document.getElementById("counts").textContent !== %q`, before))
	b.Until(`document.querySelector("#map .picture") !== null`)
	const picture = `document.querySelector(".picture").shadowRoot.querySelector("svg")`
	testkit.Equal(t, b.Value(picture+`.getBoundingClientRect().height > 100`), true, "a picture has no size")

	const query = `document.getElementById("sql").value = %q; document.getElementById("ask").requestSubmit(); true`
	b.Eval(fmt.Sprintf(query, "select count(*) as n from results"), nil)
	b.Until(`document.querySelector("#answer td") !== null`)
	counted := fmt.Sprint(b.Value(`document.querySelector("#answer td").textContent`))
	n := testkit.Must(strconv.Atoi(counted))
	testkit.Check(t, n >= 1, "%q trials", counted)
	testkit.Equal(t, b.Value(`document.querySelectorAll("#views details").length`), 6.0, "views are explained")
	complaints := b.Complaints()
	b.Eval(fmt.Sprintf(query, "delete from trial"), nil)
	b.Until(`!document.getElementById("refused").hidden`)
	got := fmt.Sprint(b.Value(`document.getElementById("refused").textContent`))
	testkit.Check(t, strings.Contains(got, "only reads"), "a query that writes: %q", got)
	b.Eval(fmt.Sprintf(query, "select 1 -- "+strings.Repeat("é", 9000)), nil)
	b.Until(`document.getElementById("refused").textContent.includes("more than 16 KB")`)
	testkit.Check(t, len(complaints) == 0, "the page complains: %q", complaints)

	const ground = `getComputedStyle(document.body).backgroundColor`
	const letters = `getComputedStyle(` + picture + `.querySelector("text")).fill`
	light, ink := b.Value(ground), b.Value(letters)
	b.Scheme("dark")
	if dark, chalk := b.Value(ground), b.Value(letters); dark == light || chalk == ink {
		t.Errorf("in the dark the page is %v and the letters of pictures are %v", dark, chalk)
	}
	b.Call("Emulation.setDeviceMetricsOverride", map[string]any{"width": 360, "height": 700, "deviceScaleFactor": 1,
		"mobile": true})
	testkit.Equal(t, b.Value(`document.documentElement.scrollWidth`), 360.0, "width of the page on 360 pixels")

	// A script that somebody could smuggle in does not run.
	b.Eval(`{ const s = document.createElement("script"); s.textContent = "window.smuggled = 1";
		document.body.append(s); }`, nil)
	testkit.Equal(t, b.Value(`window.smuggled === undefined`), true, "a script that is not the page's runs")

	testkit.Succeed(t, run.Process.Signal(os.Interrupt))
	b.Until(`document.getElementById("doing").textContent.startsWith("Interrupted")`)
	testkit.Succeed(t, serve.Process.Signal(syscall.SIGINT))
	testkit.Equal(t, serve.Wait(), nil, "after Ctrl-C")
	b.Until(`document.getElementById("problem").textContent.includes("does not answer")`)
}

// Ctrl-C ends the server at once while queries go on, and the run does not notice.
func TestServeEnds(t *testing.T) {
	testkit.Long(t, "a sweep measures beside it")
	run, serve, url := serving(t)
	const forever = "api/query?sql=with+recursive+n(i)+as+(select+1+union+all+select+i%2B1+from+n)+select+max(i)+from+n"
	ended := make(chan struct{}, 2)
	var interrupted atomic.Bool
	var late atomic.Int32
	for range 2 {
		go func() {
			for { // until the server is gone: the query below may have its place, and a busy machine reach its limit of time
				r, err := http.Get(url + forever)
				if err != nil {
					ended <- struct{}{}
					return
				}
				r.Body.Close()
				if interrupted.Load() && r.StatusCode != http.StatusServiceUnavailable {
					late.Add(1) // one may reach its limit of time just then
				}
			}
		}()
	}
	for code := 0; code != http.StatusServiceUnavailable; { // both are running
		r := testkit.Must(http.Get(url + "api/query?sql=best"))
		r.Body.Close()
		code = r.StatusCode
	}
	interrupted.Store(true)
	testkit.Succeed(t, serve.Process.Signal(os.Interrupt))
	testkit.Equal(t, serve.Wait(), nil, "after Ctrl-C")
	<-ended
	<-ended
	testkit.Check(t, late.Load() < 2, "Ctrl-C waits for queries")
	testkit.Succeed(t, run.Process.Signal(os.Interrupt))
	run.Wait() // says that it was interrupted
	testkit.Equal(t, run.ProcessState.ExitCode(), 130, "exit code of the run")
}
