package slurm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"spmvtune/internal/atomicfile"
	"spmvtune/internal/term"
)

// errUnderWay says that two submissions of a run meet.
var errUnderWay = errors.New("another submission of the run is under way")

// nextRound is the number after that of the last round. Who decides by the state of
// the run what to submit asks for it first: see writeRound.
func (r *Run) NextRound() int {
	entries, err := os.ReadDir(r.Path(roundsDir))
	if err != nil {
		return 1 // not made yet; otherwise writing there says what is wrong
	}
	last := 0
	for _, e := range entries {
		if n, err := strconv.Atoi(strings.TrimSuffix(e.Name(), ".json")); err == nil {
			last = max(last, n)
		}
	}
	return last + 1
}

// writeRound writes the file of a round, which makes it this process's. It fails where
// another process has been faster: what it sends was not there when it was decided
// what this round is to have. Some file systems have no locks, or locks that other
// nodes don't see; that a file is made only once holds on all.
func (r *Run) WriteRound(number int, chunks []string) error {
	data, err := json.Marshal(chunks)
	if err != nil {
		return err
	}
	err = atomicfile.Create(r.roundFile(number), data)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w: spmvtune status %s shows what it sends", errUnderWay, term.Shell(r.Dir))
	}
	if err != nil {
		return fmt.Errorf("writing the round: %w", err)
	}
	return nil
}

// round reads which chunks a round has, in the order of their tasks.
func (r *Run) Round(number int) ([]string, error) {
	data, err := os.ReadFile(r.roundFile(number))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, r.lost(filepath.Join(roundsDir, filepath.Base(r.roundFile(number))))
	}
	if err != nil {
		return nil, fmt.Errorf("reading round %d: %w", number, err)
	}
	var chunks []string
	if err := json.Unmarshal(data, &chunks); err != nil {
		return nil, fmt.Errorf("%w (it can't be read: %w)", r.lost(filepath.Join(roundsDir, filepath.Base(r.roundFile(number)))), err)
	}
	return chunks, nil
}

func (r *Run) roundFile(number int) string {
	return r.Path(roundsDir, fmt.Sprintf("%03d.json", number))
}
