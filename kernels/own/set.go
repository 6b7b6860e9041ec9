package own

import "spmvtune/kernels"

// A Set is the kernels of a sweep that a backend compiles. A backend that embeds one is a kernels.Host.
type Set struct {
	backend  string
	compiler func(kernels.Own) (*Compiler, error)
	list     []kernels.Own
	folder   string // of what is compiled
}

// NewSet returns an empty set for a backend, with its compiler.
func NewSet(backend string, compiler func(kernels.Own) (*Compiler, error)) Set {
	return Set{backend: backend, compiler: compiler}
}

// Adopt makes the kernels of a sweep known.
func (s *Set) Adopt(list []kernels.Own, folder string) { s.list, s.folder = list, folder }

// Own returns the kernel of the sweep with this name, if the backend compiles it.
func (s *Set) Own(name string) (kernels.Own, bool) {
	o, ok := kernels.Defined(s.list, name)
	return o, ok && o.Backend == s.backend && o.Command == nil
}

// Find returns the kernel with this name, of the sweep or of the catalogue.
func (s *Set) Find(name string) (kernels.Kernel, bool) { return kernels.Find(s.list, name) }

// Build compiles kernels of the sweep.
func (s *Set) Build(list []kernels.Config) []string {
	return All(list, func(c kernels.Config) error {
		o, _ := s.Own(c.Kernel)
		_, err := s.Compile(o, c)
		return err
	})
}

// Compile returns the file that has a kernel of the sweep.
func (s *Set) Compile(o kernels.Own, c kernels.Config) (file string, err error) {
	by, err := s.compiler(o)
	if err != nil {
		return "", &kernels.InvalidError{Reason: err.Error()}
	}
	return Build(s.folder, by, o, c)
}

// OwnSource is the identity of a kernel of the sweep.
func (s *Set) OwnSource(o kernels.Own) string {
	by, _ := s.compiler(o)
	return Source(by, o)
}
