package slurm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// mergedFile says what the last merge did.
const mergedFile = "merged.json"

// LastMerge is what the last merge of a run did, report included.
type LastMerge struct {
	At     time.Time `json:"at"`               // when it was through, UTC
	Round  int       `json:"round"`            // the last round whose own merge is through; 0: none
	Trials Trials    `json:"trials"`           // in the database; Of is Done
	Report string    `json:"report,omitempty"` // path; "" if no trial is good
	Merged
}

// LastMerge reads what the last merge did; nil if there was none.
func (r *Run) LastMerge() (*LastMerge, error) {
	data, err := os.ReadFile(r.Path(mergedFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading what was merged: %w", err)
	}
	m := new(LastMerge)
	if err := json.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("reading %s: %w: it was damaged; spmvtune merge %s writes it anew", r.Path(mergedFile), err, quoteIf(r.Dir))
	}
	return m, nil
}

// noteMerge keeps what a merge did, of a round or, if m.Round is 0, by hand. The caller
// holds the lock of merges.
func (r *Run) noteMerge(m *LastMerge) error {
	if before, err := r.LastMerge(); err == nil && before != nil {
		m.Round = max(m.Round, before.Round)
	}
	m.At = time.Now().UTC()
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := replaceFile(r.Path(mergedFile), append(data, '\n')); err != nil {
		return fmt.Errorf("noting the merge: %w", err)
	}
	return nil
}

// replaceFile makes a file have new content, whole or not at all.
func replaceFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // once it is renamed there is none of that name
	_, err = f.Write(data)
	mode := os.FileMode(0o644)
	if info, statErr := os.Stat(path); statErr == nil {
		mode = info.Mode().Perm()
	}
	if err := errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
