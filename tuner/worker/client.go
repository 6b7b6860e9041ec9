// SPDX-License-Identifier: Apache-2.0

package worker

import (
	"bytes"
	"cmp"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/tuner/trial"
)

// The files of the conversation with a worker process. They are not its standard ones, so
// that nothing a library prints can disturb it.
const (
	requestFD = 3
	replyFD   = 4
)

// Pipes returns a worker's ends of the conversation, for Serve. No process that the worker
// starts inherits them, because that would hide the worker's death.
func Pipes() (requests, replies *os.File) {
	syscall.CloseOnExec(requestFD)
	syscall.CloseOnExec(replyFD)
	return os.NewFile(requestFD, "requests"), os.NewFile(replyFD, "replies")
}

// A Launcher returns the command that starts a worker process, which must call Serve on
// Pipes.
type Launcher func() *exec.Cmd

// A Client is the parent's end of a worker process.
type Client struct {
	cmd      *exec.Cmd
	requests *os.File
	replies  *os.File
	enc      *gob.Encoder
	dec      *gob.Decoder
	errors   *tail
	ooms     int // that the system had before the worker started, see oomKills
}

// A Death says how a worker ended without answering.
type Death struct {
	Status  trial.Status
	Message string
	Killed  bool // whether it was killed from outside, by SIGKILL
}

func (d *Death) Error() string { return d.Message }

// Start starts a worker process.
func Start(launch Launcher) (*Client, error) {
	toWorker, requests, err := os.Pipe()
	replies, fromWorker, unpiped := os.Pipe()
	c := &Client{cmd: launch(), requests: requests, replies: replies, errors: &tail{}, ooms: oomKills()}
	c.cmd.ExtraFiles = []*os.File{toWorker, fromWorker}
	c.cmd.Stdout, c.cmd.Stderr = c.errors, c.errors

	c.cmd.SysProcAttr = apart
	// A grandchild that keeps standard error open must not hold up Wait.
	c.cmd.WaitDelay = time.Second
	if err = cmp.Or(err, unpiped); err == nil {
		err = c.cmd.Start()
	}
	toWorker.Close()
	fromWorker.Close()
	if err != nil {
		requests.Close()
		replies.Close()
		return nil, fmt.Errorf("starting a worker: %w", err)
	}
	c.enc, c.dec = gob.NewEncoder(requests), gob.NewDecoder(replies)
	return c, nil
}

// grace is how long to wait for a reply after its deadline. A parent that was itself
// stopped (Ctrl-Z) finds the deadline past and the reply in the pipe.
const grace = 200 * time.Millisecond

// reprieve is how long to go on after a worker was killed from outside, before that counts
// as its own doing: when a whole job is killed, its processes end one after the other, in
// any order.
const reprieve = 2 * time.Second

// Do sends req and waits for the reply, at most for the timeout (0: as long as it takes)
// and until ctx ends. It returns a *Death if the worker ended or had to be killed; the
// client can't be used after that.
func (c *Client) Do(ctx context.Context, req Request, timeout time.Duration) (Reply, error) {
	return c.Wait(ctx, c.Start(req), timeout)
}

// An Outcome is the reply to a request, or the error instead of it.
type Outcome struct {
	rep Reply
	err error
}

// Start sends req. The outcome must be waited for before the next call. A trial is asked for at once: for another thread
// to wake and do that takes longer.
func (c *Client) Start(req Request) <-chan Outcome {
	var o Outcome
	if req.Trial != nil {
		c.errors.Write([]byte(newTrial)) // also if the worker can't say so any more
		o.err = c.enc.Encode(req)
	}
	done := make(chan Outcome, 1)
	go func() {
		if req.Trial == nil { // a list of kernels may be more than a pipe takes
			o.err = c.enc.Encode(req)
		}
		if o.err == nil {
			o.err = c.dec.Decode(&o.rep)
		}
		done <- o
	}()
	return done
}

// Wait waits for the outcome of a request, as Do does.
func (c *Client) Wait(ctx context.Context, done <-chan Outcome, timeout time.Duration) (Reply, error) {
	var expired <-chan time.Time
	if timeout > 0 {
		t := time.NewTimer(timeout)
		defer t.Stop()
		expired = t.C
	}

	answered := func(o Outcome) (Reply, error) {
		if o.err != nil {
			return Reply{}, c.died(o.err)
		}
		if o.rep.Err != "" {
			return o.rep, errors.New(o.rep.Err)
		}
		return o.rep, nil
	}

	select {
	case o := <-done:
		return answered(o)
	case <-expired:
		select {
		case o := <-done:
			return answered(o)
		case <-time.After(grace):
		}
		c.kill()
		<-done
		message := fmt.Sprintf("no answer within %s; the worker was killed", timeout)
		return Reply{}, &Death{Status: trial.Timeout, Message: message}
	case <-ctx.Done():
		c.kill()
		<-done
		return Reply{}, ctx.Err()
	}
}

// Close ends the worker, which exits when its requests end.
func (c *Client) Close() {
	c.requests.Close()
	stop := time.AfterFunc(5*time.Second, func() { c.cmd.Process.Kill() })
	c.cmd.Wait()
	stop.Stop()
	c.killGroup()
	os.RemoveAll(customFolder(c.cmd.Process.Pid))
	c.replies.Close()
}

func (c *Client) kill() {
	c.killGroup()
	c.Close()
}

// Pause stops the worker where it is, or lets it go on.
func (c *Client) Pause(on bool) {
	sig := syscall.SIGCONT
	if on {
		sig = syscall.SIGSTOP
	}
	syscall.Kill(-c.cmd.Process.Pid, sig)
}

// killGroup kills the worker and what a kernel of a sweep started in it.
func (c *Client) killGroup() { syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL) }

const (
	killedMessage = "the worker was killed from outside (signal 9)"
	oomMessage    = killedMessage + ", most likely by the system because memory ran out"
)

// oomKills is how many processes the system has killed because memory ran out, -1 if it does not say.
func oomKills() int {
	text, _ := os.ReadFile("/proc/vmstat")
	_, after, _ := strings.Cut(string(text), "\noom_kill ")
	word, _, _ := strings.Cut(after, "\n")
	n, err := strconv.Atoi(word)
	if err != nil {
		return -1
	}
	return n
}

// died waits for a worker that stopped answering, and says why it did. err is what
// happened to the conversation.
func (c *Client) died(err error) *Death {
	c.Close()
	said := c.errors.complaint()
	state := c.cmd.ProcessState
	ws, _ := state.Sys().(syscall.WaitStatus)

	switch {
	case strings.Contains(said, "out of memory"), strings.Contains(said, "cannot allocate memory"):
		return &Death{Status: trial.OOM, Message: said}
	case ws.Signaled() && ws.Signal() == syscall.SIGSYS: // see refuseProcesses
		return &Death{Status: trial.Fault, Message: "the worker crashed: the kernel starts a process, which none may do"}
	case ws.Signaled() && ws.Signal() == syscall.SIGKILL:
		time.Sleep(reprieve)
		if n := oomKills(); n >= 0 && n == c.ooms {
			return &Death{Status: trial.Fault, Message: killedMessage, Killed: true}
		}
		return &Death{Status: trial.OOM, Message: oomMessage, Killed: true}
	case said != "":
		return &Death{Status: trial.Fault, Message: "the worker crashed: " + said}
	default:
		return &Death{Status: trial.Fault, Message: fmt.Sprintf("the worker ended (%s): %v", state, err)}
	}
}

// A tail keeps the beginning and the end of what a worker printed since its last trial began. A crash
// begins with what went wrong and ends with a long trace; a library's message is at the end.
type tail struct {
	mu   sync.Mutex
	head []byte
	rest []byte
}

const (
	headSize = 4 << 10
	tailSize = 4 << 10
)

// newTrial is printed when a trial begins: what was printed before is not said of it.
const newTrial = "\x00"

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	written := len(p)
	if i := bytes.LastIndexByte(p, newTrial[0]); i >= 0 {
		t.head, t.rest, p = nil, nil, p[i+1:]
	}
	n := min(len(p), headSize-len(t.head))
	t.head = append(t.head, p[:n]...)
	t.rest = append(t.rest, p[n:]...)
	if cut := len(t.rest) - tailSize; cut > 0 {
		t.rest = append(t.rest[:0], t.rest[cut:]...)
	}
	return written, nil
}

// complaint returns the line that says what went wrong: the first one with which the Go
// runtime begins a crash, or else the last line. Signs that a terminal would obey are escaped.
func (t *tail) complaint() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := string(t.head) + string(t.rest)

	last := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for _, start := range []string{"panic:", "fatal error:", "runtime:", "SIG", "unexpected fault"} {
			if strings.HasPrefix(line, start) {
				return term.Visible(line)
			}
		}
		if line != "" {
			last = line
		}
	}

	return term.Visible(last)
}
