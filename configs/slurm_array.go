package configs

import (
	"fmt"
	"maps"
	"slices"
)

// An Array is [[slurm.array]]: keys of [slurm] with other values, for arrays of tasks that measure
// everything on devices of another type.
type Array map[string]string

// arrayKeys are the keys that it may have.
var arrayKeys = []string{"partition", "qos", "gres", "gpus", "constraint", "nodelist"}

// readArrays reads [[slurm.array]].
func (s *Slurm) readArrays(t *table, name string) {
	for _, sub := range t.sections(name) {
		var one Slurm // to check the values
		sub.read(slices.DeleteFunc(one.keys(), func(k key) bool { return !slices.Contains(arrayKeys, k.name) }))
		a := Array{}
		for name, value := range sub.vals {
			a[name] = fmt.Sprint(value)
		}
		if _, is := a["gpus"]; is {
			a["gpus"] = one.GPUs // "" for 0
		}
		s.Arrays = append(s.Arrays, a)
	}
}

// Kinds is how many kinds of tasks there are: one, or one for each [[slurm.array]].
func (s Slurm) Kinds() int { return max(len(s.Arrays), 1) }

// With returns s with another value of a key for tasks of a kind. The value is a good one.
func (s Slurm) With(kind int, name, value string) Slurm {
	if len(s.Arrays) == 0 {
		s.Set(name, value)
		return s
	}
	s.Arrays = slices.Clone(s.Arrays)
	own := maps.Clone(s.Arrays[kind])
	own[name] = value
	s.Arrays[kind] = own
	return s
}

// Of returns what tasks of a kind ask for.
func (s Slurm) Of(kind int) Slurm {
	var own Array
	if kind < len(s.Arrays) {
		own = s.Arrays[kind]
	}
	s.Arrays = nil
	for name, value := range own {
		s.Set(name, value) // it was checked when the sweep was read
	}
	return s
}
