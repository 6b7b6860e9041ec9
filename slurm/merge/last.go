package merge

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"spmvtune/internal/base/files"
	"spmvtune/internal/base/term"
	"spmvtune/slurm"
)

// mergedFile keeps what the last merge did.
const mergedFile = "merged.json"

// Last is what the last merge of a run did, report included.
type Last struct {
	At time.Time `json:"at"` // At is when it was finished, in UTC.
	// Round is the last round whose own merge is finished; 0 if there is none.
	Round int `json:"round"`
	// Trials are those in the database. Of is Done.
	Trials Trials `json:"trials"`
	// Report is the path of the report; "" if no trial is good.
	Report string `json:"report,omitempty"`
	Merged
}

// ReadLast reads what the last merge of a run did. It returns nil if there was none.
func ReadLast(r *slurm.Run) (*Last, error) {
	data, err := r.Read(mergedFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading what was merged: %w", err)
	}
	m := new(Last)
	if err := json.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("reading %s: %w: it was damaged; spmvtune merge %s writes it again",
			r.Path(mergedFile), err, term.Shell(r.Dir))
	}

	return m, nil
}

// noteLast keeps what a merge did. m.Round is 0 for a merge by hand. The caller holds the lock of
// merges.
func noteLast(r *slurm.Run, m *Last) error {
	if before, err := ReadLast(r); err == nil && before != nil {
		m.Round = max(m.Round, before.Round)
	}
	m.At = time.Now().UTC()
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := files.Write(r.Path(mergedFile), append(data, '\n')); err != nil {
		return fmt.Errorf("noting the merge: %w", err)
	}

	return nil
}
