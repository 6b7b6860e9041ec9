package sbatch

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
)

// A MissingError says that a program of Slurm is not installed here.
type MissingError struct{ Command string }

func (e *MissingError) Error() string {
	return fmt.Sprintf("%s is not found: run this on a login node of the cluster, or load Slurm's module first",
		e.Command)
}

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
type RefusedError struct {
	Command string
	// Said has the first lines that the program printed, without its name.
	Said string
}

func (e *RefusedError) Error() string { return "slurm refused: " + e.Said }

// SubmitLimit returns the name of the limit of submitted jobs that a refusal names, as in
// AssocMaxSubmitJobLimit, and "" if it is another refusal.
func SubmitLimit(err error) string {
	var refused *RefusedError
	if !errors.As(err, &refused) {
		return ""
	}
	for word := range strings.FieldsFuncSeq(refused.Said, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if strings.Contains(word, "SubmitJob") {
			return word
		}
	}
	return ""
}

// silence lists Slurm's words for a conversation with the controller that broke off. They
// have been the same since version 14.
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

// unanswered reports whether a program that failed got no answer, rather than a refusal.
func unanswered(said string) bool {
	return slices.ContainsFunc(silence, func(words string) bool { return strings.Contains(said, words) })
}

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
