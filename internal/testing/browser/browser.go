// SPDX-License-Identifier: Apache-2.0

// Package browser lets tests look at a page in a headless Chromium.
package browser

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"example.org/spmvtune/internal/testing/testkit"
)

// A Browser is a headless Chromium with one page, spoken to by its debugging protocol
// over a pipe.
type Browser struct {
	t       *testing.T
	in      io.Writer
	out     *bufio.Reader
	session string
	last    int
	events  []event // that came while an answer was awaited
}

type event struct {
	Method string
	Params json.RawMessage
}

// Start starts a browser, and skips the test where there is none.
func Start(t *testing.T) *Browser {
	t.Helper()
	var program string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		// Of some distributions the program only says how to install it.
		if exec.CommandContext(t.Context(), name, "--version").Run() == nil {
			program = name
			break
		}
	}
	if program == "" {
		t.Skip("no Chromium is installed: the page is not tried in a browser")
	}
	var said strings.Builder
	theirIn, in, err := os.Pipe()
	testkit.Succeed(t, err)
	out, theirOut, err := os.Pipe()
	testkit.Succeed(t, err)
	// Not with the test's context: what is killed leaves children, which write to the
	// folder that is to be removed.
	cmd := exec.Command(program, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
		"--disable-dev-shm-usage", "--user-data-dir="+t.TempDir(), "--remote-debugging-pipe", "about:blank")
	cmd.ExtraFiles = []*os.File{theirIn, theirOut} // 3 and 4 there
	cmd.Stderr = &said
	cmd.WaitDelay = 5 * time.Second // for children that hold that open
	testkit.Succeed(t, cmd.Start())
	theirIn.Close()
	theirOut.Close()
	b := &Browser{t: t, in: in, out: bufio.NewReaderSize(out, 1<<20)}
	t.Cleanup(func() {
		io.WriteString(in, `{"id":0,"method":"Browser.close"}`+"\x00")
		in.Close()
		cmd.Wait()
		out.Close()
		if t.Failed() {
			t.Logf("%s said: %s", program, said.String())
		}
	})
	var target struct{ TargetID string }
	b.Answer("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.Answer("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		b.Call(domain+".enable", nil)
	}
	b.Call("Page.setLifecycleEventsEnabled", map[string]any{"enabled": true})
	return b
}

// Run runs a part of the test, which is what fails if the browser does meanwhile.
func (b *Browser) Run(name string, part func(t *testing.T)) {
	whole := b.t
	defer func() { b.t = whole }()
	whole.Run(name, func(t *testing.T) {
		b.t = t
		part(t)
	})
}

// Call sends a command and returns its answer; what happens meanwhile is kept.
func (b *Browser) Call(method string, params map[string]any) json.RawMessage {
	b.t.Helper()
	b.last++
	command := map[string]any{"id": b.last, "method": method}
	if params != nil {
		command["params"] = params
	}
	if b.session != "" {
		command["sessionId"] = b.session
	}
	text, err := json.Marshal(command)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.in.Write(append(text, 0)); err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
	for {
		m := b.read(method)
		switch {
		case m.ID == 0:
			b.events = append(b.events, event{m.Method, m.Params})
		case m.ID == b.last && m.Error != nil:
			b.t.Fatalf("%s: %s", method, m.Error)
		case m.ID == b.last:
			return m.Result
		}
	}
}

type message struct {
	ID            int
	Method        string
	Params        json.RawMessage
	Result, Error json.RawMessage
}

func (b *Browser) read(during string) (m message) {
	b.t.Helper()
	line, err := b.out.ReadBytes(0)
	if err != nil {
		b.t.Fatalf("%s: %v", during, err)
	}
	if err := json.Unmarshal(bytes.TrimSuffix(line, []byte{0}), &m); err != nil {
		b.t.Fatalf("%s: %v", during, err)
	}
	return m
}

// Answer is Call with the answer read into a value.
func (b *Browser) Answer(method string, params map[string]any, into any) {
	b.t.Helper()
	if err := json.Unmarshal(b.Call(method, params), into); err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
}

// Open shows the page at an address and waits until it is loaded: this one, as the empty page that was
// there before says that it is loaded, too, at some time.
func (b *Browser) Open(url string) {
	b.t.Helper()
	var page struct{ LoaderID, ErrorText string }
	b.Answer("Page.navigate", map[string]any{"url": url}, &page)
	if page.ErrorText != "" {
		b.t.Fatalf("opening %s: %s", url, page.ErrorText)
	}
	for {
		for _, e := range b.events {
			var p struct{ LoaderID, Name string }
			if e.Method == "Page.lifecycleEvent" && json.Unmarshal(e.Params, &p) == nil &&
				p.LoaderID == page.LoaderID && p.Name == "load" {
				return
			}
		}
		m := b.read("loading")
		b.events = append(b.events, event{m.Method, m.Params})
	}
}

// Complaints are the errors and warnings that the page caused so far.
func (b *Browser) Complaints() []string {
	var list []string
	for _, e := range b.events {
		var p struct {
			Type  string
			Entry struct{ Level, Text string }
		}
		json.Unmarshal(e.Params, &p)
		switch {
		case e.Method == "Runtime.exceptionThrown",
			e.Method == "Runtime.consoleAPICalled" && (p.Type == "error" || p.Type == "warning"),
			e.Method == "Log.entryAdded" && (p.Entry.Level == "error" || p.Entry.Level == "warning"):
			list = append(list, string(e.Params))
		}
	}
	return list
}

// Eval runs the body of an asynchronous function in the page, and reads what it returns into a value, if both are there.
func (b *Browser) Eval(body string, into any) {
	b.t.Helper()
	var result struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	b.Answer("Runtime.evaluate", map[string]any{"expression": "(async () => {" + body + "})()", "awaitPromise": true,
		"returnByValue": true}, &result)
	if result.ExceptionDetails != nil {
		b.t.Fatalf("the page threw: %s", result.ExceptionDetails)
	}
	if into == nil || result.Result.Value == nil {
		return
	}
	if err := json.Unmarshal(result.Result.Value, into); err != nil {
		b.t.Fatalf("%s gave %s: %v", body, result.Result.Value, err)
	}
}

// Value returns the value of an expression in the page.
func (b *Browser) Value(expression string) (value any) {
	b.t.Helper()
	b.Eval("return "+expression, &value)
	return value
}

// Until waits until an expression is true.
func (b *Browser) Until(expression string) {
	b.t.Helper()
	began := time.Now()
	for b.Value(expression) != true {
		if time.Since(began) > time.Minute {
			b.t.Logf("still waiting for %s: %v", expression, b.Value(`document.body.innerText.slice(0, 900)`))
			began = time.Now()
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// Resize gives the page this width.
func (b *Browser) Resize(width int) {
	b.Call("Emulation.setDeviceMetricsOverride",
		map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false})
}

// Scheme makes the reader prefer light or dark pages.
func (b *Browser) Scheme(name string) {
	b.Call("Emulation.setEmulatedMedia",
		map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": name}}})
}

// Look keeps a picture of the page, for people, where SPMVTUNE_SCREENS names a folder.
func (b *Browser) Look(name string) {
	dir := os.Getenv("SPMVTUNE_SCREENS")
	if dir == "" {
		return
	}
	var shot struct{ Data []byte }
	b.Answer("Page.captureScreenshot", nil, &shot)
	if err := os.WriteFile(fmt.Sprintf("%s/%s.png", dir, name), shot.Data, 0o644); err != nil {
		b.t.Error(err)
	}
}
