package figure

import (
	"strings"

	"spmvtune/kernels"
	"spmvtune/plots/data"
	"spmvtune/store"
)

// csrBandwidth shows how near the kernels for CSR come to the memory's bandwidth.
var csrBandwidth = &barFigure{
	id:       "bandwidth-by-kernel",
	title:    func(*scene) string { return "Bandwidth of the kernels for CSR" },
	says:     func(*scene) string { return "compulsory traffic divided by its time." },
	quantity: func(*scene) quantity { return rate(data.GBPS) },
	series: func(s *scene) []series {
		list := each(data.KernelsOf(s.panels), nil)
		for i := range list {
			list[i].of = list[i].of.And(func(r *store.Row) bool { return r.Format == kernels.CSR })
			list[i].always = strings.HasPrefix(list[i].id, "cusparse_")
		}
		return list
	},
	least: 2,
}
