package sbatch

import (
	"fmt"
	"strings"
	"time"
)

// A MissingError says that a command of Slurm is not installed here.
type MissingError struct{ Command string }

func (e *MissingError) Error() string {
	return fmt.Sprintf("%s is not found: run this on a login node of the cluster, or load Slurm's module first", e.Command)
}

// A NoAnswerError says that a command got no answer from Slurm's controller. What
// it asked for may have been done or not.
type NoAnswerError struct {
	Command string
	After   time.Duration // it was killed after this long; 0: it gave up by itself
	Said    string        // by the command, "" if it was killed
}

func (e *NoAnswerError) Error() string {
	if e.After > 0 {
		return fmt.Sprintf("%s: no answer from slurm's controller within %s: try again later", e.Command, e.After)
	}
	return fmt.Sprintf("%s: no answer from slurm's controller (%s): try again later", e.Command, e.Said)
}

// A RefusedError is a refusal in Slurm's own words.
type RefusedError struct {
	Command string
	Said    string // first lines, without the command's name
}

func (e *RefusedError) Error() string { return "slurm refused: " + e.Said }

// silence are Slurm's words for a conversation with the controller that broke
// off. They are the same in all versions since 14.
var silence = []string{
	"Socket timed out",
	"Unable to contact slurm controller",
	"Zero Bytes were transmitted",
	"Communication connection failure",
	"Message send failure",
	"Message receive failure",
	"Connection timed out",
	"Connection reset by peer",
	"Connection refused",
	"Transport endpoint is not connected",
}

// unanswered reports whether said, by a command that failed, is no refusal.
func unanswered(said string) bool {
	for _, words := range silence {
		if strings.Contains(said, words) {
			return true
		}
	}
	return false
}

// firstLines are up to four lines of the first text that has any, joined by "; ",
// without the command's name before each.
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
