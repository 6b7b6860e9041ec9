package sbatch

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// A Client runs Slurm's programs. The zero value is ready to use.
type Client struct {
	// Timeout is how long a program may take before it is killed with everything that it
	// started. 0 means a minute, which is longer than a program waits for a controller that
	// hangs (MessageTimeout, 10 s by default).
	Timeout time.Duration
	// Pause is the time between two searches for a job that may or may not have been
	// submitted. 0 means 3 s.
	Pause time.Duration
	// Patience is how long a controller that does not answer is asked again whether it has
	// the job. 0 means 5 minutes.
	Patience time.Duration
	// Tell is called with what is being waited for when that takes long. It may be nil. If
	// several goroutines use the client, they may call it at once.
	Tell func(waiting string)
}

// tellAfter is how long a program runs before Tell is called. Tests shorten it.
var tellAfter = 5 * time.Second

func (c *Client) tell(format string, args ...any) {
	if c.Tell != nil {
		c.Tell(fmt.Sprintf(format, args...))
	}
}

// CommandTimeout is how long a program may take.
func (c *Client) CommandTimeout() time.Duration { return cmp.Or(c.Timeout, time.Minute) }

// A call is one start of a program.
type call struct {
	cluster string // cluster is the argument of -M; "" means the configured cluster.
	name    string
	args    []string
	stdin   string
	env     []string
}

// ask runs a program that asks about jobs or changes them. An empty cluster means the
// configured one.
func (c *Client) ask(ctx context.Context, cluster, name string, args ...string) (stdout string, err error) {
	stdout, _, err = c.run(ctx, call{cluster: cluster, name: name, args: args, env: askEnv(os.Environ())})
	return stdout, err
}

// run runs a program. Its error is a *MissingError, a *NoAnswerError, a *RefusedError, or
// the error of ctx.
func (c *Client) run(ctx context.Context, call call) (stdout, stderr string, err error) {
	path, err := exec.LookPath(call.name)
	if err != nil {
		return "", "", &MissingError{call.name}
	}
	limited, cancel := context.WithTimeout(ctx, c.CommandTimeout())
	defer cancel()

	var out output
	var errs bytes.Buffer
	cmd := command(limited, path, call)
	cmd.Stdout, cmd.Stderr = &out, &errs
	slow := time.AfterFunc(tellAfter, func() {
		c.tell("%s has no answer from slurm's controller yet; it gets %s", call.name, c.CommandTimeout())
	})
	err = cmd.Run()
	slow.Stop()

	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay) && out.whole:
		err = nil
	case errors.Is(err, exec.ErrWaitDelay):
		err = &NoAnswerError{Command: call.name, Said: "it ended, but a process that it started still holds its output"}
	case ctx.Err() != nil:
		err = ctx.Err()
	case limited.Err() != nil:
		err = &NoAnswerError{Command: call.name, After: c.CommandTimeout()}
	default:
		err = failure(call.name, err, firstLines(errs.String(), out.String()))
	}

	return out.String(), errs.String(), err
}

// An output is what a program prints. Of a wrapper script that ends before what it has started in the
// background, a part may be missing: no job in such an answer does not mean that there is none.
type output struct {
	bytes.Buffer
	whole bool // whole says that nobody can add to it any more.
}

// ReadFrom is what package exec fills the output by.
func (o *output) ReadFrom(r io.Reader) (n int64, err error) {
	n, err = o.Buffer.ReadFrom(r)
	o.whole = err == nil
	return n, err
}

// command prepares a program that ends with ctx.
func command(ctx context.Context, path string, call call) *exec.Cmd {
	args := call.args
	if call.cluster != "" {
		args = append([]string{"-M", call.cluster}, args...)
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = call.env
	cmd.Stdin = strings.NewReader(call.stdin)

	// The program gets a process group of its own: what a wrapper script started is killed
	// with it, and Ctrl-C does not break off an sbatch whose answer we need.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second // for a process that left the group and still holds the output
	return cmd
}

// failure explains why a program failed by itself.
func failure(name string, err error, said string) error {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return fmt.Errorf("starting %s: %w", name, err)
	}
	words := cmp.Or(said, exit.String())
	if !exit.Exited() || unanswered(said) {
		return &NoAnswerError{Command: name, Said: words}
	}
	return &RefusedError{Command: name, Said: words}
}
