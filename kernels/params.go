// SPDX-License-Identifier: Apache-2.0

package kernels

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.org/spmvtune/internal/base/lists"
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

// Check returns nil if c is legal for k. Otherwise it returns an *InvalidError that says why no
// device could run it, and what would be legal. It checks block, grid, and the names and values
// of parameters. A parameter that c leaves out has its default.
func (k Kernel) Check(c Config) error {
	reason := ""
	switch {
	case c.Precision != Float32 && c.Precision != Float64:
		reason = fmt.Sprintf("precision %q is not float32 or float64", c.Precision)
	case k.Block == "" && c.Block != 0:
		reason = fmt.Sprintf("block is %d, but %s has no choice of block", c.Block, k.Name)
	case k.Block != "" && !k.Blocks.Contains(c.Block):
		reason = fmt.Sprintf("block is %d; for %s it must be %s", c.Block, k.Name, k.Blocks)
	case k.Grid == "" && c.Grid != 0:
		reason = fmt.Sprintf("grid is %d, but %s has no choice of grid", c.Grid, k.Name)
	case k.Grid != "" && c.Grid < 1:
		reason = fmt.Sprintf("grid is %d; for %s it must be at least 1", c.Grid, k.Name)
	default:
		reason = k.checkParams(c.Params)
	}
	if reason != "" {
		return &InvalidError{Reason: reason}
	}
	return nil
}

// Setting returns the value of a parameter of k in p, its default if p does not
// set it, and "" if k has no such parameter.
func (k Kernel) Setting(p Params, name string) string {
	if v, ok := p.Get(name); ok {
		return v
	}
	param, _ := k.Param(name)
	return param.Default
}

// Complete returns p with the defaults of k filled in, and optional ones left out, so that
// configurations that mean the same are equal.
func (k Kernel) Complete(p Params) Params {
	settings := maps.Collect(p.All())
	for _, param := range k.Choices() {
		settings[param.Name] = k.Setting(p, param.Name)
		if param.Optional && settings[param.Name] == param.Default {
			delete(settings, param.Name)
		}
	}
	return NewParams(settings)
}

// Param returns the one of Choices with this name.
func (k Kernel) Param(name string) (Param, bool) {
	return lists.First(k.Choices(), func(p Param) bool { return p.Name == name })
}

func (k Kernel) checkParams(p Params) string {
	for name, value := range p.All() {
		param, has := k.Param(name)
		if !has {
			return fmt.Sprintf("%s has no parameter %q; %s", k.Name, name, k.paramNames())
		}
		if legal, ok := param.Allows(value); !ok {
			return fmt.Sprintf("%s is %q; for %s it must be %s", name, value, k.Name, legal)
		}
	}

	// With short above long, a row would belong to two classes of a hybrid kernel.
	full := k.Complete(p)
	if s, l := full.Int("short", 0), full.Int("long", math.MaxInt); s > l {
		return fmt.Sprintf("short is %d and long is %d; for %s short must be at most long", s, l, k.Name)
	}
	return ""
}

func (k Kernel) paramNames() string {
	choices := k.Choices()
	if len(choices) == 0 {
		return "it has none"
	}
	return "it has " + strings.Join(lists.Of(choices, func(p Param) string { return p.Name }), ", ")
}

// Allows reports whether value is legal for p; legal says which values are. Numbers must be in
// canonical form ("4", not "04"): values enter a trial's identity.
func (p Param) Allows(value string) (legal string, ok bool) {
	if p.Values != nil {
		return "one of " + strings.Join(p.Values, ", "), slices.Contains(p.Values, value)
	}
	n, err := strconv.ParseInt(value, 10, 32)
	return "a positive integer below 2147483648", err == nil && n > 0 && strconv.FormatInt(n, 10) == value
}
