// SPDX-License-Identifier: Apache-2.0

//go:build cuda

package cuda

import (
	"fmt"
	"strconv"

	"gorgonia.org/cu"

	"example.org/spmvtune/kernels"
	"example.org/spmvtune/kernels/custom"
)

var _ kernels.Host = (*Backend)(nil)

// customCompiler is nvcc, or NVRTC where it is missing.
func (b *Backend) customCompiler(kernels.Custom) (*custom.Compiler, error) {
	arch := strconv.Itoa(b.modules.limits.compute)
	by, missing := custom.ForGPU(arch)
	if missing == nil {
		return by, nil
	}
	by, err := custom.NVRTC(arch)
	if err != nil {
		return nil, fmt.Errorf("there is neither nvcc nor NVRTC to compile it: %w; %w: put nvcc on the PATH, or "+
			"libnvrtc's folder into LD_LIBRARY_PATH", missing, err)
	}
	return by, nil
}

// adoptFor loads the module of c's kernel under the name of its recipe's entry, if the kernel is
// one of the sweep.
func (b *Backend) adoptFor(c kernels.Config) error {
	o, ok := b.Custom(c.Kernel)
	if !ok {
		return nil
	}
	file, err := b.Compile(o, c)
	if err != nil {
		return err
	}
	return b.modules.adopt(customPrefix+o.Name+suffix(c.Precision.Bytes()), file, o)
}

// adopt makes an entry of a file known under a name.
func (m *modules) adopt(name, file string, o kernels.Custom) error {
	mod, err := m.load(file, func() (cu.Module, error) { return cu.Load(file) })
	if err != nil {
		return fmt.Errorf("%s: %w", o.File, err)
	}
	f, err := mod.Function(o.Entry)
	if err != nil {
		return invalid(`%s has no kernel %s; it needs extern "C" __global__`, o.File, o.Entry)
	}
	if known := m.entries[name]; known != nil && known.f == f {
		return nil
	}
	_, err = m.add(name, &entry{name: o.Name, f: f})
	return err
}

// A seal is what an array holds that no product may change.
type seal struct {
	a   *array
	sum uint64
}

// sealed notes what the arrays that a kernel of the sweep reads hold.
func (b *Backend) sealed(arrays map[string]*array) ([]seal, error) {
	var list []seal
	for _, a := range arrays {
		if a.guarded {
			continue
		}
		sum, err := b.digest(a.ptr, a.bytes)
		if err != nil {
			return nil, err
		}
		list = append(list, seal{a, sum})
	}
	return list, nil
}

// broken gives an error if a product has written to an array that it reads.
func (b *Backend) broken(seals []seal) error {
	for _, s := range seals {
		sum, err := b.digest(s.a.ptr, s.a.bytes)
		if err == nil && sum != s.sum {
			err = &kernels.OverrunError{Array: "y: an array of the matrix, or x, has changed"}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
