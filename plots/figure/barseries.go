package figure

import (
	"slices"

	"spmvtune/kernels"
	"spmvtune/plots/canvas"
	"spmvtune/plots/data"
	"spmvtune/store"
)

// A series has one mark for each matrix: the fastest trial of a selection.
type series struct {
	id      string         // The name of a kernel or variant, as in legends.
	of      data.Selection //
	over    data.Selection // The fastest of these trials is the baseline; nil for none.
	variant *canvas.Look   // Its look. If it is nil, the fastest kernel gives look and name.
	always  bool           // The series is never omitted.
}

// key returns the name and the look of a trial of the series.
func (s *series) key(r *store.Row) (string, canvas.Look) {
	if s.variant == nil {
		return r.Kernel, canvas.LookOf(r.Kernel)
	}
	return s.id, *s.variant
}

// each makes a series of each kernel. All are compared with the same trials.
func each(names []string, over data.Selection) []series {
	list := make([]series, len(names))
	for i, name := range names {
		list[i] = series{id: name, of: data.OfKernels(name), over: over}
	}
	return list
}

// byParam makes a series of each value of a kernel's parameter, in shades of the kernel's
// colour.
func byParam(kernel, param string, over data.Selection) []series {
	k, _ := kernels.Lookup(kernel)
	i := slices.IndexFunc(k.Params, func(p kernels.Param) bool { return p.Name == param })
	p := k.Params[i]

	list := make([]series, len(p.Values))
	for j, v := range p.Values {
		look := canvas.Shade(kernel, j, len(p.Values))
		list[j] = series{id: kernel + " " + param + "=" + v, variant: &look,
			of: data.OfKernels(kernel).And(data.WithParam(p, v)), over: over}
	}

	return list
}
