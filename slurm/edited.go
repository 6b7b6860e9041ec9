package slurm

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/BurntSushi/toml"

	"spmvtune/configs"
)

// sweepDigest is a digest of all values of a sweep but [slurm]. Comments and layout don't count.
func sweepDigest(text []byte) (string, error) {
	values := map[string]any{}
	if _, err := toml.Decode(string(text), &values); err != nil {
		return "", err
	}
	delete(values, "slurm")
	return digest(fmt.Appendf(nil, "%#v", values)), nil // maps are printed by key
}

// Measures reports whether the run was submitted for a sweep as it is now, [slurm] apart.
func (r *Run) Measures(sweep *configs.Sweep) bool {
	values, err := sweepDigest(sweep.Text)
	if err != nil || values != r.Digest {
		return false
	}
	own, err := ownText(sweep)
	return err == nil && (own == nil && r.OwnDigest == "" || own != nil && digest(own) == r.OwnDigest)
}

// ownText is what the run keeps of the sweep's own kernels; nil if it has none.
func ownText(sweep *configs.Sweep) ([]byte, error) {
	list := sweep.Own()
	if len(list) == 0 {
		return nil, nil
	}
	return json.Marshal(list)
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// CheckSweep makes sure that the run's copies of the sweep and of its own kernels say what they said
// at submission, [slurm] apart: a run must not mix two protocols.
func (r *Run) CheckSweep() error {
	text, err := r.Read(sweepFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // tasks refuse that; what is measured can be merged
	}
	if err != nil {
		return fmt.Errorf("reading the sweep of the run: %w", err)
	}
	if err := r.checkSweep(text); err != nil {
		return err
	}
	own, err := r.Read(ownFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // which tasks refuse, if the sweep has some
	}
	if err != nil {
		return fmt.Errorf("reading the kernels of the run: %w", err)
	}
	return r.checkOwn(own)
}

func (r *Run) checkSweep(text []byte) error {
	if r.Digest == "" {
		return nil // a run of an early version
	}
	if now, err := sweepDigest(text); err != nil || now != r.Digest {
		return r.edited(sweepFile)
	}
	return nil
}

func (r *Run) checkOwn(text []byte) error {
	if r.OwnDigest != "" && digest(text) != r.OwnDigest {
		return r.edited(ownFile)
	}
	return nil
}

// edited says that a file of the run is not as it was submitted.
func (r *Run) edited(file string) error {
	return fmt.Errorf("%s was edited after the run was submitted, and only [slurm] in %s may change: "+
		"undo the edit, or submit the edited sweep as another run", r.Path(file), sweepFile)
}
