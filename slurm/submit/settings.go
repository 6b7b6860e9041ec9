package submit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"spmvtune/configs"
	"spmvtune/internal/base/files"
	"spmvtune/slurm"
)

// settingsFile keeps what retry was told, and the nodes that it avoids.
const settingsFile = "settings.json"

// settings are what retries ask for in another way than the sweep.
type settings struct {
	Set     map[string]string `json:"set,omitempty"`
	Exclude []string          `json:"exclude,omitempty"`
	changed bool
}

func readSettings(r *slurm.Run) (s settings, err error) {
	data, err := r.Read(settingsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, fmt.Errorf("reading what retry was told: %w", err)
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return s, fmt.Errorf("reading %s: %w: delete it, and give retry its options again", r.Path(settingsFile), err)
	}
	return s, nil
}

// write keeps the settings, if they have changed.
func (s settings) write(r *slurm.Run) error {
	if !s.changed {
		return nil
	}
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := files.Write(r.Path(settingsFile), append(data, '\n')); err != nil {
		return fmt.Errorf("keeping what retry was told: %w", err)
	}
	return nil
}

// settled returns s with what this retry and earlier ones were told, and what of that is to be kept.
func settled(r *slurm.Run, s configs.Slurm, opt Options) (configs.Slurm, settings, error) {
	kept, err := readSettings(r)
	if err != nil {
		return s, kept, err
	}
	kept.changed = len(opt.Set) > 0
	for key, value := range opt.Set {
		if key == "exclude" {
			kept.Exclude = nil
		}
		if kept.Set == nil {
			kept.Set = map[string]string{}
		}
		if kept.Set[key] = value; value == "" {
			delete(kept.Set, key)
		}
	}
	kept.exclude(opt.Exclude)

	for _, key := range slices.Sorted(maps.Keys(kept.Set)) {
		if err := s.Set(key, kept.Set[key]); err != nil {
			return s, kept, err
		}
	}
	if kept.Set["mem"] != "" { // sbatch takes no other option for memory beside it
		s.Extra = slices.DeleteFunc(slices.Clone(s.Extra), func(o string) bool { return strings.HasPrefix(o, "--mem-per-") })
	}
	s.Exclude = strings.Join(append(nodesOf(s.Exclude), kept.Exclude...), ",")
	return s, kept, nil
}

// exclude adds nodes to those that are not used.
func (s *settings) exclude(nodes []string) {
	for _, node := range nodes {
		if !slices.Contains(s.Exclude, node) {
			s.Exclude, s.changed = append(s.Exclude, node), true
		}
	}
}
