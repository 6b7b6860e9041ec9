package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// A browser is a headless Chromium with one page, driven over a pipe (the DevTools protocol).
type browser struct {
	t       *testing.T
	in      *os.File
	out     *bufio.Reader
	session string
	calls   int
	// complaints are what the page wrote to its console: errors, and what its policy refused.
	complaints []string
}

// chromium finds the browser. It skips the test where there is none.
func chromium(t *testing.T) (program string) {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no Chromium is installed")
	return ""
}

// openBrowser opens a page.
func openBrowser(t *testing.T, program, url string) *browser {
	t.Helper()
	theirIn, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--no-first-run", "--remote-debugging-pipe", "--user-data-dir="+t.TempDir(), "about:blank")
	cmd.ExtraFiles = []*os.File{theirIn, theirOut} // which it knows as 3 and 4
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirIn.Close()
	theirOut.Close()
	b := &browser{t: t, in: in, out: bufio.NewReader(out)}
	t.Cleanup(func() {
		b.session = ""
		b.call("Browser.close", nil)
		in.Close()
		_ = cmd.Wait() // however it ends
		out.Close()
	})

	var target struct {
		TargetID  string `json:"targetId"`
		SessionID string `json:"sessionId"`
	}
	b.read(b.call("Target.createTarget", map[string]any{"url": "about:blank"}), &target)
	b.read(b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}), &target)
	b.session = target.SessionID
	for _, domain := range []string{"Log", "Runtime", "Page"} {
		b.call(domain+".enable", nil)
	}
	b.call("Page.navigate", map[string]any{"url": url})
	return b
}

func (b *browser) read(from json.RawMessage, into any) {
	b.t.Helper()
	if err := json.Unmarshal(from, into); err != nil {
		b.t.Fatal(err)
	}
}

// call gives the browser a command and returns its result.
func (b *browser) call(method string, params any) json.RawMessage {
	b.t.Helper()
	b.calls++
	command := map[string]any{"id": b.calls, "method": method}
	if params != nil {
		command["params"] = params
	}
	if b.session != "" {
		command["sessionId"] = b.session
	}
	content, err := json.Marshal(command)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.in.Write(append(content, 0)); err != nil {
		b.t.Fatal(err)
	}
	for {
		content, err := b.out.ReadBytes(0)
		if err != nil {
			b.t.Fatal(err)
		}
		var answer struct {
			ID     int             `json:"id"`
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
			Result json.RawMessage `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		b.read(content[:len(content)-1], &answer)
		switch {
		case answer.ID == b.calls && answer.Error != nil:
			b.t.Fatalf("%s: %s", method, answer.Error)
		case answer.ID == b.calls:
			return answer.Result
		case answer.Method == "Log.entryAdded" && !strings.Contains(string(answer.Params), `"level":"verbose"`),
			answer.Method == "Runtime.exceptionThrown":
			b.complaints = append(b.complaints, string(answer.Params))
		}
	}
}

// evaluate returns the value of a JavaScript expression on the page.
func (b *browser) evaluate(expression string) any {
	b.t.Helper()
	var got struct {
		Result           struct{ Value any }
		ExceptionDetails json.RawMessage
	}
	b.read(b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true}), &got)
	if got.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expression, got.ExceptionDetails)
	}
	return got.Result.Value
}

// until waits until an expression is true.
func (b *browser) until(expression string) {
	b.t.Helper()
	began := time.Now()
	for b.evaluate(expression) != true {
		if time.Since(began) > time.Minute {
			b.t.Logf("still waiting for %s: %v", expression, b.evaluate(`document.body.innerText.slice(0, 900)`))
			began = time.Now()
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// text is what an element of the page shows.
func (b *browser) text(id string) string {
	b.t.Helper()
	return fmt.Sprint(b.evaluate(fmt.Sprintf("document.getElementById(%q).textContent", id)))
}
