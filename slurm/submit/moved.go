package submit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"spmvtune/slurm"
)

// inPlace refuses to send jobs of a run whose folder was moved: the scripts, the logs and the
// running tasks have the old path. The same folder under another path is allowed.
func inPlace(r *slurm.Run) error {
	if r.Folder == "" || r.Folder == r.Dir {
		return nil
	}
	then, err := os.Stat(r.Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the run was submitted in %s and is now in %s, where its jobs would not find it: "+
			"move it back there, or submit the sweep again", r.Folder, r.Dir)
	}

	if now, nowErr := os.Stat(r.Dir); err == nil && nowErr == nil && os.SameFile(then, now) {
		return nil
	}
	return fmt.Errorf("%s is a copy of the run in %s: give that one", r.Dir, r.Folder)
}
