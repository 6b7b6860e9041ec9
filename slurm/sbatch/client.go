package sbatch

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// A Client asks Slurm through its commands. Each is started with a list of
// arguments, never through a shell. The zero value is ready to use.
//
// Note: squeue, sacct and scontrol can print JSON, in a form that changes from
// version to version, and only where a plugin is installed. The columns that are
// asked for by -o have been the same for a decade.
type Client struct {
	// Timeout is how long a command may take before it is killed, with all that it
	// started. 0: a minute, which is longer than a command itself waits for a
	// controller that hangs (MessageTimeout, 10 s if not set).
	Timeout time.Duration
	// Pause is the time between two looks for a job that may have been submitted
	// or not. 0: 3 s.
	Pause time.Duration
	// Patience is how long a controller that does not answer is asked again whether
	// it has the job. 0: 5 minutes.
	Patience time.Duration
	// Tell is told what is waited for when that takes long. May be nil; several
	// goroutines may call it at once where several use the client.
	Tell func(waiting string)
}

// tellAfter is how long a command runs before Tell hears of it; tests have less.
var tellAfter = 5 * time.Second

func (c *Client) tell(format string, args ...any) {
	if c.Tell != nil {
		c.Tell(fmt.Sprintf(format, args...))
	}
}

// CommandTimeout is how long a command may take.
func (c *Client) CommandTimeout() time.Duration { return cmp.Or(c.Timeout, time.Minute) }

// A call is a command of Slurm with what it is given.
type call struct {
	cluster string // -M; "" for the one of the configuration
	name    string
	args    []string
	stdin   string
	env     []string
}

// ask runs a command that asks about jobs, or changes some, on a cluster: "" for
// that of the configuration.
func (c *Client) ask(ctx context.Context, cluster, name string, args ...string) (stdout string, err error) {
	stdout, _, err = c.run(ctx, call{cluster: cluster, name: name, args: args, env: askEnv(os.Environ())})
	return stdout, err
}

// run runs a command. Its error is a *MissingError, a *NoAnswerError, a
// *RefusedError, or that of ctx.
func (c *Client) run(ctx context.Context, call call) (stdout, stderr string, err error) {
	path, err := exec.LookPath(call.name)
	if err != nil {
		return "", "", &MissingError{call.name}
	}
	limited, cancel := context.WithTimeout(ctx, c.CommandTimeout())
	defer cancel()
	args := call.args
	if call.cluster != "" {
		args = append([]string{"-M", call.cluster}, args...)
	}
	cmd := exec.CommandContext(limited, path, args...)
	cmd.Env = call.env
	cmd.Stdin = strings.NewReader(call.stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	// A group of its own, so that what a wrapper script started is killed with it,
	// and so that Ctrl-C does not break off an sbatch whose answer we need.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second // for who left the group and still holds the output
	slow := time.AfterFunc(tellAfter, func() {
		c.tell("%s has no answer from slurm's controller yet; it gets %s", call.name, c.CommandTimeout())
	})
	err = cmd.Run()
	slow.Stop()
	stdout, stderr = out.String(), errs.String()
	var exit *exec.ExitError
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		return stdout, stderr, nil
	case ctx.Err() != nil:
		return stdout, stderr, ctx.Err()
	case limited.Err() != nil:
		return stdout, stderr, &NoAnswerError{Command: call.name, After: c.CommandTimeout()}
	case !errors.As(err, &exit):
		return stdout, stderr, fmt.Errorf("starting %s: %w", call.name, err)
	}
	said := firstLines(stderr, stdout)
	if !exit.Exited() || unanswered(said) {
		return stdout, stderr, &NoAnswerError{Command: call.name, Said: cmp.Or(said, exit.String())}
	}
	return stdout, stderr, &RefusedError{Command: call.name, Said: cmp.Or(said, exit.String())}
}
