// SPDX-License-Identifier: Apache-2.0

package slurm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"example.org/spmvtune/internal/base/files"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/tuner/journal"
)

const (
	// mostEmpty is the number of failed attempts that measured nothing, after which a Worker leaves a
	// chunk alone.
	mostEmpty = 3
	// mostFailures is the number of such chunks in a row after which a process gives up: its machine is
	// at fault.
	mostFailures = 2
)

// A Worker measures chunks in a process that Slurm did not start as a task.
type Worker struct {
	Run   *Run
	Bench *Bench
	Kind  int // Kind is the only kind of chunks that it takes; -1 for any.

	Taken  int             // Taken is the number of chunks that it has measured, as far as it could.
	Failed map[string]bool // Failed are the chunks that it could not complete.
	empty  int             // empty counts the last chunks in a row of which nothing was measured.
}

// All takes chunk after chunk until none is left, or it is told to stop.
func (w *Worker) All(ctx context.Context) error {
	for {
		chunk, claim, err := w.take(ctx)
		if err != nil || claim == nil {
			return err
		}
		err = w.measure(ctx, chunk, claim)
		if warned, ended := w.Bench.Stops.Received(); warned != 0 || ended != 0 {
			return cmp.Or(err, error(&StopError{ExitAgain, "told to stop"}))
		}
		if w.Taken++; err == nil {
			continue
		}
		if w.Failed == nil {
			w.Failed = map[string]bool{}
		}
		w.Failed[chunk.ID] = true
		w.Bench.Printf("chunk %s: %v", chunk.ID, err)
		if w.empty == mostFailures {
			return fmt.Errorf("%w; stopping: %s in a row produced nothing", err, term.Count(mostFailures, "chunk", "chunks"))
		}
	}
}

// One measures a chunk, which it claims first. Its error is a *StopError if another process has it.
func (w *Worker) One(ctx context.Context, chunk Chunk) error {
	claim, err := w.Run.Take(chunk.ID)
	if errors.Is(err, ErrClaimed) {
		return &StopError{ExitAgain, err.Error()}
	}
	if err != nil {
		return err
	}
	return w.measure(ctx, chunk, claim)
}

// measure measures a chunk that this process has claimed.
func (w *Worker) measure(ctx context.Context, chunk Chunk, claim *Claim) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer w.Run.Keep(claim, cancel)()

	task := Task{Chunk: chunk, Job: claim.Job(), Attempt: claim.Attempt, Node: claim.Node, Claim: claim}
	sum, err := w.Run.Attempt(ctx, task, w.Bench)
	warned, ended := w.Bench.Stops.Received()
	empty := err != nil && warned == 0 && ended == 0 && len(sum.Measured) == 0
	if w.empty++; !empty {
		w.empty = 0
	}
	return errors.Join(err, w.Run.Release(claim, empty))
}

// take claims a chunk: one that nobody has claimed yet, and of which no earlier run has measured anything,
// or, when there is none, one that the journals lack. It returns no claim when nothing is left to take.
func (w *Worker) take(ctx context.Context) (chunk Chunk, claim *Claim, err error) {
	claims, err := w.Run.Claims()
	if err != nil {
		return chunk, nil, err
	}
	adopted, err := w.Run.adoptedChunks()
	if err != nil {
		return chunk, nil, err
	}
	chunk, claim, err = w.first(func(id string) bool {
		_, known := claims[id]
		return !known && !adopted[id]
	})
	if claim != nil || err != nil {
		return chunk, claim, err
	}

	missing, err := w.Run.Missing(ctx)
	if err != nil {
		return chunk, nil, err
	}
	return w.first(func(id string) bool {
		c := claims[id]
		return !c.Live && c.EmptyAttempts < mostEmpty &&
			slices.ContainsFunc(missing, func(m Missing) bool { return m.Chunk == id })
	})
}

// first claims the first chunk that is good, and that neither Slurm nor another process has.
func (w *Worker) first(good func(id string) bool) (c Chunk, claim *Claim, err error) {
	plan, err := w.Run.Plan()
	if err != nil {
		return c, nil, err
	}
	sent, err := w.Run.SentChunks()
	if err != nil {
		return c, nil, err
	}
	for _, c := range plan.Current() {
		if w.Failed[c.ID] || w.Kind >= 0 && c.Kind != w.Kind || sent[c.ID] || !good(c.ID) {
			continue
		}
		claim, err := w.Run.Take(c.ID)
		if err == nil {
			if sent, err = w.Run.SentChunks(); err == nil && !sent[c.ID] { // still
				return c, claim, nil
			}
			err = errors.Join(err, w.Run.Release(claim, false))
		}
		if err != nil && !errors.Is(err, ErrClaimed) {
			return c, nil, err
		}
	}
	return c, nil, nil
}

// A Claim is the right of one process to measure a chunk, for processes that Slurm did not start as
// tasks of an array. It is the file claims/CHUNK.ATTEMPT.json, which only one process can make; the
// last attempt's counts.
//
// A claim holds as long as its process lives. On the machine of the process that is certain. Elsewhere
// the file tells: its process renews the time of its change by the clock of the file's server, so that
// neither clocks that differ nor a file system without locks matter.
type Claim struct {
	Chunk   string `json:"-"`
	Attempt int    `json:"-"` // Attempt counts from 0 the claims of the chunk.
	Node    string `json:"node"`
	PID     int    `json:"pid"`
	// Machine tells where PID means the process: the boot of a machine, and the namespace.
	Machine string `json:"machine"`
	// Ended says that the process is done with the chunk, complete or not.
	Ended bool `json:"ended,omitempty"`
	// EmptyAttempts counts the attempts up to this one that ended by themselves and measured nothing.
	EmptyAttempts int `json:"empty_attempts,omitempty"`
	// Live says that the process may still measure the chunk.
	Live bool `json:"-"`
}

const (
	claimsDir = "claims"
	// claimStale is the age at which the claim of a process on another machine ends. A network file system
	// may show a time that is a minute old.
	claimStale = 5 * time.Minute
)

// claimRenewed is how often a process renews its claim. Tests shorten it.
var claimRenewed = 20 * time.Second

// ErrClaimed says that another process measures a chunk.
var ErrClaimed = errors.New("another process measures this chunk")

// Job names the claim's attempt in journals.
func (c *Claim) Job() string { return "p" + strconv.Itoa(c.PID) }

// file is the path of the claim's file in the folder of the run.
func (c *Claim) file() string { return fmt.Sprintf("%s/%s.%d.json", claimsDir, c.Chunk, c.Attempt) }

// String names the process.
func (c *Claim) String() string { return fmt.Sprintf("process %d on %s", c.PID, c.Node) }

// Claims returns the last claim of each chunk that has one.
func (r *Run) Claims() (map[string]Claim, error) {
	entries, err := os.ReadDir(r.Path(claimsDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("listing the claims of the run: %w", err)
	}

	claims := map[string]Claim{}
	for _, e := range entries {
		name, isClaim := strings.CutSuffix(e.Name(), ".json")
		at := strings.LastIndexByte(name, '.')
		if !isClaim || at < 1 || strings.HasPrefix(name, ".") {
			continue
		}
		attempt, err := strconv.Atoi(name[at+1:])
		if last, known := claims[name[:at]]; err == nil && (!known || attempt > last.Attempt) {
			claims[name[:at]] = Claim{Chunk: name[:at], Attempt: attempt}
		}
	}
	now := journal.Refresh(r.Path(claimsDir))
	for chunk, c := range claims {
		claims[chunk] = r.readClaim(c, now)
	}

	return claims, nil
}

// readClaim reads the file of a claim. What can't be read is of another machine, as far as is known.
func (r *Run) readClaim(c Claim, now time.Time) Claim {
	if data, err := r.Read(c.file()); err == nil {
		_ = json.Unmarshal(data, &c)
	}
	info, err := os.Stat(r.Path(c.file()))
	switch {
	case c.Ended || err != nil:
	case c.Machine != "" && c.Machine == machine() && errors.Is(unix.Kill(c.PID, 0), unix.ESRCH):
	default:
		c.Live = now.Sub(info.ModTime()) < claimStale
	}
	return c
}

// Take claims a chunk for this process. It fails with ErrClaimed if another one has it, or was faster.
func (r *Run) Take(chunk string) (*Claim, error) {
	if err := r.makeFolder(claimsDir); err != nil {
		return nil, err
	}
	claims, err := r.Claims()
	if err != nil {
		return nil, err
	}
	c := Claim{Chunk: chunk, PID: os.Getpid(), Machine: machine(), Node: nodeName(os.Getenv)}
	if last, known := claims[chunk]; known {
		if last.Live {
			return nil, fmt.Errorf("%w: %s has chunk %s; if that is gone, delete %s", ErrClaimed, &last, chunk,
				r.Path(last.file()))
		}
		c.Attempt, c.EmptyAttempts = last.Attempt+1, last.EmptyAttempts
	}

	err = writeJSON(files.Create, r.Path(c.file()), c)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%w: it was faster at chunk %s", ErrClaimed, chunk)
	}
	if err != nil {
		return nil, fmt.Errorf("claiming chunk %s: %w", chunk, err)
	}
	return &c, nil
}

// Keep renews a claim until stop is called. It calls lost and ends if another process has taken the chunk
// since, because this one could not renew its claim for too long, or if the claim was deleted.
func (r *Run) Keep(c *Claim, lost func()) (stop func()) {
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(claimRenewed):
			}
			if r.gone(c) {
				lost()
				return
			}
			now := []unix.Timespec{{Nsec: unix.UTIME_NOW}, {Nsec: unix.UTIME_NOW}} // by the server's clock
			_ = unix.UtimesNanoAt(unix.AT_FDCWD, r.Path(c.file()), now, 0)
		}
	}()
	return func() { close(done) }
}

// gone reports whether a claim of this process holds no longer.
func (r *Run) gone(c *Claim) bool {
	next := Claim{Chunk: c.Chunk, Attempt: c.Attempt + 1}
	if isFile(r.Path(next.file())) {
		return true
	}
	there, err := readJSON[Claim](r.Path(c.file()))
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return there.PID != c.PID || there.Machine != c.Machine || there.Node != c.Node
}

// Release says that this process is done with a chunk, unless it has lost it. empty says that it measured
// nothing, by no fault of a signal.
func (r *Run) Release(c *Claim, empty bool) error {
	if r.gone(c) {
		return nil
	}
	c.Ended = true
	if empty {
		c.EmptyAttempts++
	}
	if err := writeJSON(files.Write, r.Path(c.file()), c); err != nil {
		return fmt.Errorf("releasing chunk %s: %w", c.Chunk, err)
	}
	return nil
}

// machine tells apart where processes are numbered: machines, boots of them, and containers.
func machine() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	namespace, linkErr := os.Readlink("/proc/self/ns/pid")
	if err != nil || linkErr != nil {
		return "" // not known
	}
	return strings.TrimSpace(string(boot)) + " " + namespace
}

// nodeName is Slurm's name of the node, or that of the machine. It is for people only.
func nodeName(getenv func(string) string) string {
	if name := getenv("SLURMD_NODENAME"); name != "" {
		return name
	}
	name, _ := os.Hostname()
	return name
}
