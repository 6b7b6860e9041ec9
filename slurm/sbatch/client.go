// SPDX-License-Identifier: Apache-2.0

// Package sbatch asks Slurm through its own programs: sbatch, squeue, sacct, scontrol and
// scancel. It starts each with a list of arguments, never through a shell, and kills it after
// a time-out of our own. It reads what they print in the columns that it asked for.
//
// The package knows jobs and nothing of sweeps or runs.
//
// Note: squeue, sacct and scontrol can print JSON, in a form that changes from version to
// version, and only where a plugin is installed. The columns have been the same for a decade.
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
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode"
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

// ask runs a program that asks about jobs or changes them. An empty cluster means the
// configured one.
func (c *Client) ask(ctx context.Context, cluster, name string, args ...string) (stdout string, err error) {
	stdout, _, err = c.run(ctx, cluster, "", name, args...)
	return stdout, err
}

// run runs a program. Its error is a *NoAnswerError, a *RefusedError, the error of ctx, or says that the program
// can't be started.
func (c *Client) run(
	ctx context.Context, cluster, stdin, name string, args ...string,
) (stdout, stderr string, err error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", "", fmt.Errorf("%s is not found: run this on a login node of the cluster, or load Slurm's module first",
			name)
	}
	limited, cancel := context.WithTimeout(ctx, c.CommandTimeout())
	defer cancel()

	var out output
	var errs bytes.Buffer
	if cluster != "" {
		args = append([]string{"-M", cluster}, args...)
	}
	cmd := command(limited, path, args)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	if cmd.Env = askEnv(os.Environ()); name == "sbatch" {
		cmd.Env = cleanEnv(os.Environ())
	}
	slow := time.AfterFunc(tellAfter, func() {
		c.tell("%s has no answer from slurm's controller yet; it gets %s", name, c.CommandTimeout())
	})
	err = cmd.Run()
	slow.Stop()

	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay) && out.whole:
		err = nil
	case errors.Is(err, exec.ErrWaitDelay):
		err = &NoAnswerError{Command: name, Said: "it ended, but a process that it started still holds its output"}
	case ctx.Err() != nil:
		err = ctx.Err()
	case limited.Err() != nil:
		err = &NoAnswerError{Command: name, After: c.CommandTimeout()}
	default:
		err = failure(name, err, firstLines(errs.String(), out.String()))
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
func command(ctx context.Context, path string, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, path, args...)

	// The program gets a process group of its own: what a wrapper script started is killed
	// with it, and Ctrl-C does not break off an sbatch whose answer we need.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second // for a process that left the group and still holds the output
	return cmd
}

// failure explains why a program failed by itself.
func failure(name string, err error, said string) error {
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return fmt.Errorf("starting %s: %w", name, err)
	}
	words := cmp.Or(said, exit.String())
	if !exit.Exited() || silence.MatchString(said) {
		return &NoAnswerError{Command: name, Said: words}
	}
	return &RefusedError{words}
}

// optionPrefixes begin the names of variables that are not passed on: they change what
// Slurm's programs do or print, and a new job would inherit those of a surrounding one.
var optionPrefixes = []string{
	"SBATCH_", "SQUEUE_", "SCANCEL_", "SINFO_", "SACCT_", "SALLOC_", "SRUN_", "SLURM_",
}

// connection are the variables that are passed on all the same. They say where the
// cluster's configuration is and who asks: without them a program finds no controller, or is
// turned away.
var connection = []string{
	"SLURM_CONF", "SLURM_CONF_SERVER", "SLURM_JWT", "SLURM_SACK_JWKS", "SLURM_SACK_KEY", "SLURM_SACK_SOCKET",
}

// cleanEnv is env without options for Slurm's programs. CUDA_VISIBLE_DEVICES goes too: the
// GPU of the session that submits a sweep says nothing about the GPUs of its tasks.
func cleanEnv(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		option := slices.ContainsFunc(optionPrefixes, func(p string) bool { return strings.HasPrefix(name, p) })
		return option && !slices.Contains(connection, name) || name == "CUDA_VISIBLE_DEVICES"
	})
}

// askEnv is the environment of a program that only asks. The environment of sbatch keeps the
// user's language, because the job inherits it.
func askEnv(env []string) []string {
	kept := slices.DeleteFunc(cleanEnv(env), func(v string) bool {
		return strings.HasPrefix(v, "LC_ALL=") || strings.HasPrefix(v, "LANGUAGE=")
	})
	// With a length of 0, tasks that have not started are listed in full.
	return append(kept, "LC_ALL=C", "SLURM_BITSTR_LEN=0")
}

// ChosenCluster is the cluster that the user has chosen by SLURM_CLUSTERS, where several
// share a login node; "" means the configured one. It is passed on as an option and recorded
// with the job, so that later commands ask the same cluster whatever the variable says then.
func ChosenCluster() string { return os.Getenv("SLURM_CLUSTERS") }

// A NoAnswerError says that a program got no answer from Slurm's controller. What it asked
// for may or may not have been done.
type NoAnswerError struct {
	Command string
	// After is how long the program ran before it was killed; 0 if it gave up by itself.
	After time.Duration
	// Said is what the program printed; "" if it was killed.
	Said string
}

func (e *NoAnswerError) Error() string {
	if e.After > 0 {
		return fmt.Sprintf("%s: no answer from slurm's controller within %s: try again later", e.Command, e.After)
	}
	return fmt.Sprintf("%s: no answer from slurm's controller (%s): try again later", e.Command, e.Said)
}

// A RefusedError is a refusal in Slurm's own words.
//
// Said has the first lines that the program printed, without its name.
type RefusedError struct{ Said string }

func (e *RefusedError) Error() string { return "slurm refused: " + e.Said }

// Refusal returns the words of a refusal, and "" for another error.
func Refusal(err error) string {
	if refused, ok := errors.AsType[*RefusedError](err); ok {
		return refused.Said
	}
	return ""
}

// Silent reports whether Slurm's controller did not answer.
func Silent(err error) bool { return errors.As(err, new(*NoAnswerError)) }

// SubmitLimit returns the name of the limit of submitted jobs that a refusal names, as in
// AssocMaxSubmitJobLimit, and "" if it is another refusal.
func SubmitLimit(err error) string {
	for word := range strings.FieldsFuncSeq(Refusal(err), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if strings.Contains(word, "SubmitJob") {
			return word
		}
	}
	return ""
}

// silence matches Slurm's words for a conversation with the controller that broke off, rather than a refusal. They
// have been the same since version 14.
var silence = regexp.MustCompile(`Socket timed out|Unable to contact slurm controller|Zero Bytes were transmitted|` +
	`Communication connection failure|Message (send|receive) failure|Connection (timed out|reset by peer|refused)|` +
	`Transport endpoint is not connected`)

// firstLines returns up to four lines of the first text that has any, joined by "; ". The
// program's name is removed from the start of each.
func firstLines(texts ...string) string {
	for _, text := range texts {
		var lines []string
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			if before, after, ok := strings.Cut(line, ": error: "); ok && !strings.Contains(before, " ") {
				line = after
			}
			if line != "" && len(lines) < 4 {
				lines = append(lines, line)
			}
		}
		if len(lines) > 0 {
			return strings.Join(lines, "; ")
		}
	}

	return ""
}
