// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"example.org/spmvtune/internal/base/files"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/kernels/cpu"
	"example.org/spmvtune/kernels/cuda"
	"example.org/spmvtune/rule"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/tuner/trial"
)

// wisdom is what was measured, and what was loaded.
var wisdom struct {
	sync.Mutex
	rule.Rule
}

// nameOf is what wisdom calls a device. A processor is another device with another number of cores.
func nameOf(d kernels.Device) string {
	if d.Backend == "cpu" {
		return fmt.Sprintf("%s, %d cores", d.Name, d.Units)
	}
	return d.Name
}

// recall returns what is known of a matrix, by this version's kernels and parameters.
func recall(a *sparse.CSR[float64], d kernels.Device, p kernels.Precision) (c candidate, ok bool) {
	wisdom.Lock()
	defer wisdom.Unlock()
	if len(wisdom.Known) == 0 {
		return c, false
	}
	hash := a.Hash()
	i := slices.IndexFunc(wisdom.Known, func(k rule.Known) bool {
		kernel, there := kernels.Lookup(k.Choice.Kernel)
		return k.Matrix == hash && k.Device == nameOf(d) && k.Choice.Precision == p && there && kernel.Check(k.Choice) == nil
	})
	if i < 0 {
		return c, false
	}
	k := wisdom.Known[i]
	return candidate{Config: k.Choice, Seconds: k.Seconds, Prepare: k.Prepare, base: k.Plain, measured: true}, true
}

// known keeps what was measured in place of what was known of the same. wisdom is locked.
func known(list ...rule.Known) {
	wisdom.Known = append(slices.DeleteFunc(wisdom.Known, func(old rule.Known) bool {
		return slices.ContainsFunc(list, func(k rule.Known) bool {
			return k.Matrix == old.Matrix && k.Device == old.Device && k.Choice.Precision == old.Choice.Precision
		})
	}), list...)
}

// remember keeps what was measured on a matrix.
func remember(a *sparse.CSR[float64], d kernels.Device, c candidate) {
	wisdom.Lock()
	defer wisdom.Unlock()
	known(rule.Known{Matrix: a.Hash(), Device: nameOf(d), Choice: c.Config, Seconds: c.Seconds, Prepare: c.Prepare,
		Plain: c.base})
}

// ruleFor is the rule for a device with the key to ask it: one that was loaded or, for a GPU, one that comes with the
// program. It is nil for a processor without.
func ruleFor(d kernels.Device, p kernels.Precision) (*rule.Rule, rule.Key) {
	wisdom.Lock()
	defer wisdom.Unlock()
	for _, m := range wisdom.Models {
		if m.Precision == p && m.Cache != trial.Cold && (m.Device == d.Name || m.Device == nameOf(d)) {
			return &rule.Rule{Models: []rule.Model{m}}, m.Key
		}
	}
	if d.Backend == "cpu" {
		return nil, rule.Key{}
	}
	r, _, err := rule.Open(rule.NameFor(d.Name))
	if err != nil { // it is embedded
		return nil, rule.Key{}
	}
	return r, rule.Key{Precision: p}
}

// load reads a rule or wisdom, some of which must be for a device that is here.
func load(path string) error {
	r, _, err := rule.OpenKnown(path)
	if err != nil {
		return as(statusWisdom, err)
	}
	of := append(lists.Of(r.Models, func(m rule.Model) string { return m.Device }),
		lists.Of(r.Known, func(k rule.Known) string { return k.Device })...)
	b, err := cpu.OpenShare(cpu.Share{Guest: true})
	if err != nil {
		return as(statusDevice, err)
	}
	defer b.Close()
	here := append(cuda.Names(), b.Device().Name, nameOf(b.Device()))
	if !slices.ContainsFunc(of, func(name string) bool { return slices.Contains(here, name) }) {
		slices.Sort(of)
		return as(statusWisdom, fmt.Errorf("%s was measured on %s; this machine has %s", path,
			strings.Join(slices.Compact(of), " and "), strings.Join(here[:len(here)-1], " and ")))
	}
	wisdom.Lock()
	defer wisdom.Unlock()
	wisdom.Models = append(slices.DeleteFunc(wisdom.Models, func(old rule.Model) bool {
		return slices.ContainsFunc(r.Models, func(m rule.Model) bool { return m.Key == old.Key })
	}), r.Models...)
	known(r.Known...)
	return nil
}

// save writes what is known.
func save(path string) error {
	wisdom.Lock()
	defer wisdom.Unlock()
	if len(wisdom.Models)+len(wisdom.Known) == 0 {
		return as(statusWisdom, fmt.Errorf("%s is not written: nothing was measured or loaded", path))
	}
	wisdom.Version = rule.Version
	return as(statusWisdom, files.WriteTo(path, wisdom.Rule.WriteJSON))
}
