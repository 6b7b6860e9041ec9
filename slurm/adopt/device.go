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

// device returns the device of a backend on which the source measured last, among those of a model, if one is
// given, and of the type that tasks ask for.
func (s *Source) device(backend, model string, asked configs.Slurm) (device tuner.Assumed, found bool) {
	for _, run := range slices.Backward(s.runs()) {
		d := run.Device
		wanted := d.Backend == backend && (model == "" || d.Name == model)
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
