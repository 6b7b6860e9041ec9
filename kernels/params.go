package kernels

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Params are the settings of a kernel beyond block and grid. They are text in canonical form,
// sorted by name: "tile=1024 unroll=4". So equal settings have equal text, and a Config is
// comparable. A kernel's entry in the catalogue says which parameters it has.
type Params string

// NewParams puts settings, by name, into their canonical form.
func NewParams(settings map[string]string) Params {
	var b strings.Builder
	for i, name := range slices.Sorted(maps.Keys(settings)) {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(name + "=" + settings[name])
	}
	return Params(b.String())
}

func (p Params) String() string { return string(p) }

// All gives each setting with its name, sorted by name.
func (p Params) All() iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		for field := range strings.FieldsSeq(string(p)) {
			if name, value, _ := strings.Cut(field, "="); !yield(name, value) {
				return
			}
		}
	}
}

// Get returns a setting; ok is false where it is not set.
func (p Params) Get(name string) (value string, ok bool) {
	for n, v := range p.All() {
		if n == name {
			return v, true
		}
	}
	return "", false
}

// Int returns a setting as a number, and def where it is not set or is not a number.
func (p Params) Int(name string, def int) int {
	value, _ := p.Get(name)
	if n, err := strconv.Atoi(value); err == nil {
		return n
	}
	return def
}

// With returns p with one setting changed or added.
func (p Params) With(name, value string) Params {
	settings := maps.Collect(p.All())
	settings[name] = value
	return NewParams(settings)
}

// Without returns p with one setting left out.
func (p Params) Without(name string) Params {
	settings := maps.Collect(p.All())
	delete(settings, name)
	return NewParams(settings)
}

// MarshalJSON writes an object: {"unroll": "4"}.
func (p Params) MarshalJSON() ([]byte, error) { return json.Marshal(maps.Collect(p.All())) }

// UnmarshalJSON reads what MarshalJSON writes. Names and values with white space or "=" are
// refused, because the canonical form could not tell them apart.
func (p *Params) UnmarshalJSON(data []byte) error {
	var settings map[string]string
	if err := json.Unmarshal(data, &settings); err != nil {
		return err
	}
	for name, value := range settings {
		if name == "" || strings.ContainsAny(name, "= \t\r\n") || strings.ContainsAny(value, " \t\r\n") {
			return fmt.Errorf("parameter %q = %q is not of the form name=value", name, value)
		}
	}

	*p = NewParams(settings)
	return nil
}
