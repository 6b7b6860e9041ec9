// SPDX-License-Identifier: Apache-2.0

package status

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/BurntSushi/toml"

	"example.org/spmvtune/internal/base/files"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/slurm/sbatch"
)

//go:embed words.toml
var wordsTOML string

// words translates Slurm's words into plain ones.
var words = sync.OnceValue(func() (w struct {
	Waits, Never, Failed map[string]string // by the reason
	Ended                map[sbatch.State]string
	Same                 []string
}) {
	if _, err := toml.Decode(wordsTOML, &w); err != nil {
		panic("words.toml: " + err.Error()) // embedded; every test reads it
	}
	for reason, text := range w.Never {
		w.Waits[reason] = text + never
	}
	return w
})

// never ends the explanation of a reason that does not go away.
const never = ", so it will never start"

// explainPending says in plain words why a job is pending, as the rest of a sentence that
// begins with "the task". A word of Slurm's that is not known is given as it is.
func explainPending(j sbatch.Job) string {
	// Some reasons have more words: "ReqNodeNotAvail, UnavailableNodes:n[1-2]".
	word, more, _ := strings.Cut(j.Reason, ",")
	switch text, known := words().Waits[word]; {
	case word == "":
		return "waits for Slurm to look at it"
	case word == "BeginTime":
		// Slurm does not say whether the job was put back into the queue or never started.
		if j.Start.IsZero() {
			return "must not start before a time that Slurm does not tell"
		}
		return "must not start before " + clock(j.Start) + ": the sweep asked for that, or it was put back into the queue"
	case known:
		if more = strings.TrimSpace(more); more != "" {
			return fmt.Sprintf("%s (%s)", text, more)
		}
		return text
	case isLimit(word):
		// A request of one job does not become smaller while it waits. The sum over a user's
		// jobs does.
		if strings.Contains(word, "PerJob") || strings.Contains(word, "PerNode") || strings.Contains(word, "Min") {
			return fmt.Sprintf("asks for more than a limit of your account or QOS allows (%s)%s", word, never)
		}
		return fmt.Sprintf("waits, because a limit of your account or QOS is reached (%s)", word)
	}

	return "waits: " + j.Reason
}

// clock writes a time, with the day unless it is today.
func clock(t time.Time) string {
	if now := time.Now(); t.YearDay() == now.YearDay() && t.Year() == now.Year() {
		return t.Format(time.TimeOnly)
	}
	return t.Format(time.DateTime)
}

// isLimit reports whether a reason is a limit of an account or a QOS. Slurm has about a hundred of them.
func isLimit(word string) bool {
	return strings.HasPrefix(word, "QOS") || strings.HasPrefix(word, "Assoc")
}

// explainEnd says how a job ended that left work undone, as the rest of a sentence that begins
// with "the task". j is what Slurm says about the job, nil for nothing. said is what its last attempt left, if that
// left a journal.
func explainEnd(j *sbatch.Job, said slurm.Missing) string {
	how := "ended, and Slurm no longer knows how"
	if j != nil {
		how = explainState(*j, said.Journal != "")
	}
	breaks := how + ": journal " + said.Journal + " breaks off, as it does "
	switch whole := j != nil && j.State == sbatch.Completed; {
	case said.Reason != "":
		return how + ": " + said.Reason
	case whole && said.Journal == "":
		return how + ", and its journal is not there: it was deleted"
	case said.Journal == "":
		return how
	case whole:
		return breaks + "where it was cut"
	case j != nil && gaveUp(*j):
		return breaks + fullDisk
	case j == nil || j.State == sbatch.Failed && !strings.Contains(how, "signal"):
		return breaks + "when a process is killed"
	}

	return how
}

// fullDisk is where a journal breaks off, in the words of status.
const fullDisk = "where the disk is full or a quota is used up"

// FullDisk reports whether the last task of a chunk may have found no room on the disk.
func (s Chunk) FullDisk() bool { return s.State == Ended && strings.Contains(s.Why, fullDisk) }

// gaveUp reports whether the processes of a failed job ended by themselves. An exit code from 128 on
// stands for a signal.
func gaveUp(j sbatch.Job) bool {
	code, signal, _ := strings.Cut(j.Exit, ":")
	n, err := strconv.Atoi(code)
	if err != nil {
		return j.State == sbatch.Failed && j.Reason == "NonZeroExitCode"
	}
	return j.State == sbatch.Failed && signal == "0" && n > 0 && n < 128
}

// explainState says how a job ended, as far as Slurm knows.
func explainState(j sbatch.Job, journal bool) string {
	how, known := words().Ended[j.State]
	if !known {
		return "ended, and Slurm no longer knows how"
	}
	word, more, _ := strings.Cut(j.Reason, ":")
	if j.State == sbatch.Failed {
		code, signal, _ := strings.Cut(j.Exit, ":")
		switch {
		case signal != "0" && signal != "":
			return how + " by signal " + signal
		case code != "0" && code != "":
			return how + " with exit code " + code
		case word == "RaisedSignal" && more != "":
			return how + " by signal " + more
		case word == "JobLaunchFailure" && journal:
			// Slurm has one word for both (recorded with 22.05).
			return "was killed by a signal, such as that of kill -9 (JobLaunchFailure)"
		case word == "JobLaunchFailure":
			return "was killed by a signal, or could not be started on its node (JobLaunchFailure)"
		}
	}

	if plain, ok := words().Failed[word]; ok && j.State == sbatch.Failed {
		how = plain
	}
	if word == "" || slices.Contains(words().Same, word) || isLimit(word) {
		return how
	}
	return how + " (" + j.Reason + ")"
}

// explainNever says what became of a job that has ended and never ran, as the rest of a
// sentence that begins with "the task".
func explainNever(j sbatch.Job) string {
	if j.State == sbatch.Cancelled {
		if plain, ok := words().Never[j.Reason]; ok {
			return "was cancelled before it started: it " + plain + " (" + j.Reason + ")"
		}
		return "was cancelled before it started"
	}
	return explainState(j, false) + ", and never started"
}

// overMemory are words by which Slurm says in a task's log that it killed the task for its use of memory,
// where it does not say so in the job's state (JobAcctGatherParams=OverMemoryKill, and old versions).
var overMemory = []string{"Exceeded job memory limit", "exceeded memory limit", "oom-kill event", "oom_kill event"}

// blameMemory finds out whether a task that ended was killed for its use of memory.
func (s *Chunk) blameMemory() {
	s.OutOfMemory = s.State == Ended && s.Slurm == sbatch.OutOfMemory
	if s.State != Ended || s.OutOfMemory || s.Slurm != sbatch.Failed && s.Slurm != sbatch.Cancelled && s.Slurm != "" {
		return
	}
	lines, err := LastLines(s.Log, 8)
	if err != nil {
		return
	}
	said := strings.Join(lines, "\n")
	if slices.ContainsFunc(overMemory, func(of string) bool { return strings.Contains(said, of) }) {
		s.OutOfMemory, s.Why = true, words().Ended[sbatch.OutOfMemory]
	}
}

// LastLines returns the last lines of the log at path, at most n, without empty ones. A log
// that does not exist has none.
func LastLines(path string, n int) (lines []string, err error) {
	f, err := files.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading a log: %w", err)
	}
	defer f.Close()
	const most = 8 << 10
	size, _ := f.Seek(0, io.SeekEnd)
	from := max(0, size-most)
	data, err := io.ReadAll(io.NewSectionReader(f, from, most))
	if err != nil {
		return nil, fmt.Errorf("reading a log: %w", err)
	}
	for i, line := range strings.Split(string(data), "\n") {
		// The first line may be incomplete.
		if line = strings.TrimRight(line, " \t\r"); line != "" && (i > 0 || from == 0) {
			lines = append(lines, line)
		}
	}
	return lines[max(0, len(lines)-n):], nil
}
