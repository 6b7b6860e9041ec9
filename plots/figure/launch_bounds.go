package figure

import "spmvtune/plots/data"

var launchBounds = &barFigure{
	id:       "launch-bounds",
	title:    func(*scene) string { return "Bandwidth of csr_thread_row by launch bound" },
	says:     func(*scene) string { return "compulsory traffic divided by its time." },
	each:     "bound",
	quantity: func(*scene) quantity { return rate(data.GBPS) },
	series:   func(*scene) []series { return byParam("csr_thread_row", "min_blocks", nil) },
	least:    2,
}
