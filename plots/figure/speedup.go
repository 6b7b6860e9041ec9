package figure

import (
	"slices"

	"spmvtune/plots/canvas"
	"spmvtune/plots/data"
)

// drawSpeedup compares every kernel with the baseline of its device.
func drawSpeedup(d *data.Report) ([]*canvas.Picture, []error) {
	base := func(s *scene) string { return d.BaselineOf(s.device) }
	f := barFigure{
		id:       "speedup-over-baseline",
		title:    func(s *scene) string { return "Speed-up over " + base(s) },
		says:     func(s *scene) string { return "time of " + base(s) + " divided by its time, log axis." },
		quantity: func(s *scene) quantity { return timesAsFast(base(s)) },
		series: func(s *scene) []series {
			if base(s) == "" {
				return nil
			}
			others := slices.DeleteFunc(data.KernelsOf(s.panels), func(name string) bool { return name == base(s) })
			return each(others, data.OfKernels(base(s)))
		},
		warnings: func(d *data.Report) []error { return d.WithoutBaseline() },
	}

	return f.draw(d)
}
