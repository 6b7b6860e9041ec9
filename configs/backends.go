package configs

import "slices"

// Backends returns the backends that the sweep's kernels run on, in the order
// "cpu", "cuda".
func (s *Sweep) Backends() []string {
	var out []string
	for _, space := range s.Kernels {
		for _, name := range space.Kernels {
			if k, ok := space.Lookup(name); ok {
				out = append(out, k.Backend)
			}
		}
	}

	slices.Sort(out)
	return slices.Compact(out)
}

// Only returns the part of the sweep that runs on one backend.
func (s *Sweep) Only(backend string) *Sweep {
	part := *s
	if backend == "cpu" {
		part.Device = Device{} // one, whatever the GPUs are
	}
	part.Device.Backend = backend
	part.Kernels = nil
	for _, space := range s.Kernels {
		space.Kernels = slices.DeleteFunc(slices.Clone(space.Kernels), func(name string) bool {
			k, ok := space.Lookup(name)
			return !ok || k.Backend != backend
		})
		if len(space.Kernels) > 0 {
			part.Kernels = append(part.Kernels, space)
		}
	}

	return &part
}
