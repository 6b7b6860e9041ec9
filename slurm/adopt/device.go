package adopt

import (
	"cmp"
	"maps"
	"slices"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/slurm"
	"spmvtune/tuner"
	"spmvtune/tuner/journal"
)

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
func (s *Source) cores(kind int, asked configs.Slurm, pinned slurm.Devices, opt Options) (n int, assumed bool) {
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
func (s *Source) sources(device kernels.Device, now map[string]string, own []kernels.Own) map[string]string {
	all := maps.Clone(now)
	for _, run := range s.runs() {
		if run.Device.Name != device.Name || run.Device.Driver != device.Driver {
			continue
		}
		for _, o := range own {
			if then, defined := kernels.Defined(run.Own, o.Name); defined && then.Digest() == o.Digest() {
				all[o.Name] = run.Sources[o.Name]
			}
		}
	}
	return all
}

// Cache is the size in bytes of the last-level cache of the processor that tasks of a kind have; 0 if it is not
// known.
func (m *Match) Cache(kind int) int64 {
	for _, d := range m.devices[kind] {
		if d.Device.Backend == "cpu" {
			return d.Device.Cache
		}
	}
	return 0
}
