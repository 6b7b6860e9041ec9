package journal

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// A Name is the name of a journal's file: CHUNK.JOB.ATTEMPT.jsonl, with the number of the
// worker if a task has several, and another number if there was a journal of that name
// already. A chunk "0007" may be split into "0007.1" and "0007.2".
type Name struct {
	Chunk   string
	Job     string
	Attempt int // how often Slurm had restarted the job
	Worker  int // number from 1, where each GPU of a task had its own journal, as in older runs; else 0
	Again   int // number from 1, or 0 if the name was free
}

// String returns the name of the file: "0007.1.123_4.0.g2.jsonl".
func (n Name) String() string {
	s := fmt.Sprintf("%s.%s.%d", n.Chunk, n.Job, n.Attempt)
	if n.Worker > 0 {
		s += fmt.Sprintf(".g%d", n.Worker)
	}
	if n.Again > 0 {
		s += fmt.Sprintf(".r%d", n.Again)
	}
	return s + ".jsonl"
}

// Family returns the chunk of the plan that the journal's chunk is a part of.
func (n Name) Family() string { return Family(n.Chunk) }

// Family returns the chunk that a chunk was split from: "0007" for "0007.1".
func Family(chunk string) string {
	family, _, _ := strings.Cut(chunk, ".")
	return family
}

var (
	nameForm = regexp.MustCompile(`^([0-9A-Za-z_-][0-9A-Za-z._-]*)\.([0-9A-Za-z_-]+)\.([0-9]+)` +
		`(?:\.g([0-9]+))?(?:\.r([0-9]+))?\.jsonl$`)
	chunkForm = regexp.MustCompile(`^[0-9A-Za-z_-]+(\.[0-9A-Za-z_-]+)*$`)
	jobForm   = regexp.MustCompile(`^[0-9A-Za-z_-]+$`)
)

// ParseName parses the name of a file. It returns false for a file that is not a journal.
func ParseName(file string) (Name, bool) {
	m := nameForm.FindStringSubmatch(file)
	if m == nil {
		return Name{}, false
	}
	n := Name{Chunk: m[1], Job: m[2]}

	for i, dst := range []*int{&n.Attempt, &n.Worker, &n.Again} {
		if m[3+i] == "" {
			continue
		}
		var err error
		if *dst, err = strconv.Atoi(m[3+i]); err != nil {
			return Name{}, false
		}
	}

	return n, n.String() == file // "007" is not a number as we write it
}

// check refuses a name that ParseName would not understand.
func (n Name) check() error {
	switch {
	case !chunkForm.MatchString(n.Chunk):
		return fmt.Errorf("%q is not the name of a chunk", n.Chunk)
	case !jobForm.MatchString(n.Job):
		return fmt.Errorf("%q is not the number of a job", n.Job)
	case n.Attempt < 0 || n.Worker < 0:
		return fmt.Errorf("attempt %d and worker %d must not be negative", n.Attempt, n.Worker)
	}
	return nil
}

// List returns the journals in a folder, sorted by the names of their files. It leaves out
// other files.
func List(dir string) ([]Name, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("listing journals: %w", err)
	}

	var names []Name
	for _, e := range entries {
		if n, ok := ParseName(e.Name()); ok {
			names = append(names, n)
		}
	}

	return names, nil
}
