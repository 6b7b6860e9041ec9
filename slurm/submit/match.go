// SPDX-License-Identifier: Apache-2.0

package submit

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/tuner"
	"example.org/spmvtune/tuner/journal"
	"example.org/spmvtune/tuner/matrix"
	"example.org/spmvtune/tuner/search"
	"example.org/spmvtune/tuner/trial"
)

// MatchOptions are what planning needs of this program.
type MatchOptions struct {
	// Sources are the digests of the catalogue's kernels, by name.
	Sources map[string]string
	// Choose returns what decides about the trials of a sweep that goes by a rule; nil for others.
	Choose func(context.Context, *configs.Sweep) (tuner.Chooser, error)
	// Elsewhere says that Slurm may not start the tasks, so that [slurm] says nothing of their cores.
	Elsewhere bool
}

// A Match says which trials of a sweep a source has.
type Match struct {
	From    string `json:"from"`    // From is the source's path.
	Planned int    `json:"planned"` // Planned is the number of trials, as far as the devices are known.
	Adopted int    `json:"adopted"`
	// Devices are what the adopted trials were measured on: tasks refuse others.
	Devices []string `json:"devices,omitempty"`
	// Others are trials of the source that the sweep does not try, by the reason.
	Others []Other `json:"others,omitempty"`

	source *Source
	sweep  *configs.Sweep
	// devices are the devices of each kind of tasks.
	devices  [][]tuner.Assumed
	matrices map[string]trial.Matrix // by name
	plans    map[planKey][]trial.Trial
	// partly says that a backend of the sweep has no device in the source, by kind.
	partly []bool
	// cores is the number of cores of a task, by kind; 0 if it is not known.
	cores []int
	// assumed says that the cores of a task are 1 only because nothing says how many.
	assumed bool
}

type planKey struct {
	kind            int
	backend, matrix string
}

// NewMatch plans a sweep, whose matrices are resolved, on the devices of the source. It loads the matrices
// that the source has trials of, because the identity of a trial depends on their content.
func NewMatch(ctx context.Context, s *Source, sweep *configs.Sweep, opt MatchOptions) (*Match, error) {
	m := &Match{From: s.Path, source: s, sweep: sweep, matrices: map[string]trial.Matrix{},
		plans: map[planKey][]trial.Trial{}}
	for _, spec := range sweep.Matrices {
		if !spec.Resolved() {
			continue // a dry run downloads nothing
		}
		described, err := matrix.Describe(ctx, spec, true)
		if err != nil {
			return nil, err
		}
		m.matrices[spec.Name] = described
	}

	for kind := range sweep.Slurm.Kinds() {
		if err := m.plan(ctx, kind, opt); err != nil {
			return nil, err
		}
	}
	m.count()
	return m, nil
}

// plan plans the work of tasks of a kind.
func (m *Match) plan(ctx context.Context, kind int, opt MatchOptions) error {
	m.devices, m.partly = append(m.devices, nil), append(m.partly, false)
	one := m.sweep.Slurm.Of(kind)
	pinned, err := m.source.pinned(kind, one)
	if err != nil {
		return err
	}
	cores, assumed := m.source.cores(kind, one, pinned, opt)
	m.cores, m.assumed = append(m.cores, cores), m.assumed || assumed
	for _, backend := range m.sweep.Backends() {
		part := m.sweep.Only(backend)
		device, found := m.source.device(backend, pinned.Models[backend], cores, one)
		if !found {
			asked, _ := slurm.AskedGPUs(one)
			m.partly[kind] = m.partly[kind] || backend != "cuda" || asked
			continue
		}
		device.Sources = m.source.sources(device.Device, opt.Sources, part.Custom())
		m.devices[kind] = append(m.devices[kind], device)
		var choose tuner.Chooser
		if opt.Choose != nil {
			if choose, err = opt.Choose(ctx, part); err != nil {
				return err
			}
		}
		for name, described := range m.matrices {
			trials, err := device.Trials(part, choose, described)
			if err != nil {
				return fmt.Errorf("planning %s: %w", name, err)
			}
			m.plans[planKey{kind, backend, name}] = trials
		}
	}
	if len(m.devices[kind]) == 0 {
		m.partly[kind] = true
	}
	return nil
}

// count counts the trials that are adopted.
func (m *Match) count() {
	all := slices.Concat(slices.Collect(maps.Values(m.plans))...)
	planned := lists.Keyed(all, func(t trial.Trial) (string, bool) { return t.ID, true })
	m.Planned = len(planned)
	on := map[string]bool{}
	for id := range planned {
		if m.source.has(id) {
			m.Adopted++
			d := m.source.records[id].run.Device
			on[fmt.Sprintf("%s (%s)", d.Name, d.Driver)] = true
		}
	}
	m.Devices = slices.Sorted(maps.Keys(on))
	m.Others = m.others(planned)
}

// has reports whether the source has a trial.
func (s *Source) has(id string) bool { return s.records[id].known() }

// Left is the share of the work on a matrix that is left to tasks of a kind.
func (m *Match) Left(kind int, name string) float64 {
	done, all := 0, 0
	for _, t := range slices.Concat(m.trialsOf(kind, name)...) {
		if all++; m.source.has(t.ID) {
			done++
		}
	}
	if m.partly[kind] || all == 0 {
		return 1
	}
	return float64(all-done) / float64(all)
}

// trialsOf returns the trials on a matrix of each backend that has a device.
func (m *Match) trialsOf(kind int, name string) (all [][]trial.Trial) {
	for _, backend := range m.sweep.Backends() {
		if trials, known := m.plans[planKey{kind, backend, name}]; known {
			all = append(all, trials)
		}
	}
	return all
}

// piece returns the trials of a piece that the source has, and whether these are all. A search decides itself
// whether it is over.
func (m *Match) piece(kind int, p trial.Piece) (adopted []trial.Trial, all bool) {
	adaptive := search.Adaptive(m.sweep.Search.Strategy)
	known := false
	protocol := m.sweep.Protocol
	repeats := protocol.Finals > 0 || protocol.Repeats > 0
	all = !m.partly[kind] && !adaptive && !(repeats && m.source.open[p.Matrix])
	for _, trials := range m.trialsOf(kind, p.Matrix) {
		all, known = all && m.finished(trials), true
		if !adaptive {
			trials = trial.Cut(p.Part, trials)
		}
		for _, t := range trials {
			if m.source.has(t.ID) {
				adopted = append(adopted, t)
			} else {
				all = false
			}
		}
	}
	return adopted, all && known
}

// finished reports whether there are finals of some trials, where the protocol has finals. Tasks do not begin
// them before all trials are there.
func (m *Match) finished(trials []trial.Trial) bool {
	good := 0
	for _, t := range trials {
		r := m.source.records[t.ID]
		if !r.known() || !r.Precedence().Good() {
			continue
		}
		if good++; len(r.LeaderMedians()) > 0 {
			return true
		}
	}
	return m.sweep.Protocol.Finals == 0 || good < 2
}

// Complete reports whether the source has all trials of a chunk.
func (m *Match) Complete(c slurm.Chunk) bool {
	return !slices.ContainsFunc(c.Pieces, func(p trial.Piece) bool {
		_, all := m.piece(c.Kind, p)
		return !all
	})
}

// runs are what the trials of the source were measured in, the latest last.
func (s *Source) runs() []*journal.Run {
	all := map[*journal.Run]bool{}
	for _, r := range s.records {
		if r.known() {
			all[r.run] = true
		}
	}
	return slices.SortedFunc(maps.Keys(all), func(a, b *journal.Run) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Device.Name, b.Device.Name))
	})
}

// pinned are the devices that tasks of a kind had in the earlier run, where it says so and they are of the
// type that tasks ask for now.
func (s *Source) pinned(kind int, asked configs.Slurm) (d slurm.Devices, err error) {
	if s.Run == nil {
		return d, nil
	}
	d, err = s.Run.PinnedDevices(kind)
	if gpu := d.Models["cuda"]; gpu != "" && slurm.CheckType("", asked, gpu) != nil {
		d = slurm.Devices{}
	}
	return d, err
}

// cores is how many cores a task of a kind has; 0 if that is not known. Slurm may give more than cpus says, by
// whole cores or nodes, so that a run that asked for the same says it best. assumed says that it is 1 because
// nothing says how many.
func (s *Source) cores(kind int, asked configs.Slurm, pinned slurm.Devices, opt MatchOptions) (n int, assumed bool) {
	if s.Run != nil {
		sweep, err := s.Run.TaskSweep() // a sweep that was edited says nothing
		if err == nil && pinned.Cores > 0 && asksAlike(sweep.Slurm.Of(kind), asked) {
			return pinned.Cores, false
		}
	}
	gpus, _ := slurm.AskedGPUs(asked)
	switch {
	case opt.Elsewhere, asked.Exclusive, asked.CPUs == 0 && (gpus || len(asked.Extra) > 0):
		return 0, false
	}
	return max(asked.CPUs, 1), asked.CPUs == 0
}

// asksAlike reports whether tasks get the same cores.
func asksAlike(a, b configs.Slurm) bool {
	return a.CPUs == b.CPUs && a.Exclusive == b.Exclusive && a.Partition == b.Partition && slices.Equal(a.Extra, b.Extra)
}

// device returns the device of a backend on which the source measured last, among those of a model and with a
// number of cores, if they are given, and of the type that tasks ask for.
func (s *Source) device(backend, model string, cores int, asked configs.Slurm) (device tuner.Assumed, found bool) {
	for _, run := range slices.Backward(s.runs()) {
		d := run.Device
		wanted := d.Backend == backend && (model == "" || d.Name == model) &&
			(backend != "cpu" || cores == 0 || d.Units == cores)
		if wanted && (backend != "cuda" || slurm.CheckType("", asked, d.Name) == nil) {
			return tuner.Assumed{Device: d}, true
		}
	}
	return device, false
}

// sources are the digests of kernels on a device: those of the catalogue as they are now, and those of own
// kernels as they were compiled there, unless their definition has changed.
func (s *Source) sources(device kernels.Device, now map[string]string, own []kernels.Custom) map[string]string {
	all := maps.Clone(now)
	for _, run := range s.runs() {
		if run.Device.Name != device.Name || run.Device.Driver != device.Driver {
			continue
		}
		for _, o := range own {
			if then, defined := kernels.LookupCustom(run.Custom, o.Name); defined && then.Digest() == o.Digest() {
				all[o.Name] = run.Sources[o.Name]
			}
		}
	}
	return all
}

// Cache is the size in bytes of the last-level cache of the processor that tasks of a kind have; 0 if it is not
// known.
func (m *Match) Cache(kind int) int64 {
	processor, _ := lists.First(m.devices[kind], func(d tuner.Assumed) bool { return d.Device.Backend == "cpu" })
	return processor.Device.Cache
}
