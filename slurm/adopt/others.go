package adopt

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"spmvtune/internal/base/term"
	"spmvtune/kernels"
	"spmvtune/tuner"
	"spmvtune/tuner/worker"
)

// An Other is a number of trials of a source that don't count for the sweep, and why.
type Other struct {
	Trials int    `json:"trials"`
	Why    string `json:"why"`
}

// others counts the trials of the source that are not planned, by the reason, most first.
func (m *Match) others(planned map[string]bool) (list []Other) {
	counts := map[string]int{}
	for id, r := range m.source.records {
		if r.known() && !planned[id] {
			counts[m.why(r)]++
		}
	}
	for why, n := range counts {
		list = append(list, Other{n, why})
	}
	slices.SortFunc(list, func(a, b Other) int {
		return cmp.Or(cmp.Compare(b.Trials, a.Trials), strings.Compare(a.Why, b.Why))
	})
	return list
}

// why says why a trial is not one of the sweep's.
func (m *Match) why(r *record) string {
	device, found := m.deviceOf(r)
	protocol := worker.ProtocolText(m.sweep.Protocol)
	loaded := slices.ContainsFunc(slices.Collect(maps.Keys(m.matrices)), func(name string) bool {
		return m.matrices[name].Hash == r.Matrix
	})
	switch {
	case !found && m.otherCores(r.run.Device):
		return fmt.Sprintf("on %s, where a task has %s", term.Count(r.run.Device.Units, "core", "cores"), m.taskCores())
	case !found:
		return "on another device: " + r.run.Device.Name
	case device.Device.Driver != r.run.Device.Driver:
		return fmt.Sprintf("with another driver or compiler: %s, and the last ones with %s", r.run.Device.Driver,
			device.Device.Driver)
	case r.run.Protocol != protocol:
		return "under another protocol: " + differences(r.run.Protocol, protocol)
	case r.Measurement != worker.Version:
		return "by a version of this program that measured in another way"
	case !loaded:
		return "of other matrices, or of another content"
	case device.Sources[r.Kernel] != "" && r.run.Sources[r.Kernel] != device.Sources[r.Kernel]:
		return "of kernels whose code is another now"
	}
	return "that the sweep does not try"
}

// deviceOf is the device of the sweep's tasks that a trial was measured on.
func (m *Match) deviceOf(r *record) (device tuner.Assumed, found bool) {
	for _, list := range m.devices {
		for _, d := range list {
			if d.Device.Backend == r.run.Device.Backend && d.Device.Name == r.run.Device.Name {
				return d, true
			}
		}
	}
	return device, false
}

// otherCores reports whether no task has the cores of a processor.
func (m *Match) otherCores(d kernels.Device) bool {
	return d.Backend == "cpu" && !slices.ContainsFunc(m.cores, func(n int) bool { return n == 0 || n == d.Units })
}

// taskCores says how many cores a task has, of all kinds, and where that comes from.
func (m *Match) taskCores() string {
	var numbers []string
	for _, n := range slices.Compact(slices.Sorted(slices.Values(m.cores))) {
		numbers = append(numbers, strconv.Itoa(n))
	}
	text := strings.Join(numbers, " or ") + ": cpus in [slurm] says how many"
	if m.assumed {
		text += ", and 1 is assumed without it"
	}
	return text
}

// differences names what differs in two protocols: "samples=6..10 there, samples=6..20 here".
func differences(there, here string) string {
	a, b := strings.Fields(there), strings.Fields(here)
	only := func(list, without []string) string {
		known := func(f string) bool { return slices.Contains(without, f) }
		return strings.Join(slices.DeleteFunc(slices.Clone(list), known), " ")
	}
	return fmt.Sprintf("%s there, %s here", cmp.Or(only(a, b), "nothing else"), cmp.Or(only(b, a), "nothing else"))
}
