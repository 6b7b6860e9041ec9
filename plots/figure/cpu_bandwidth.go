package figure

import "spmvtune/plots/data"

// onProcessor are the two kernels of coo-spmv-final, Table III.
var onProcessor = []string{"cpu_coo", "cpu_csr"}

var cpuBandwidth = &barFigure{
	id:       "cpu-bandwidth",
	title:    func(*scene) string { return "COO and CSR on the processor, one thread" },
	says:     func(*scene) string { return "its bandwidth as the paper counts it." },
	quantity: func(*scene) quantity { return rate(data.PaperGBPS) },
	series:   func(*scene) []series { return each(onProcessor, nil) },
	least:    2,
}
