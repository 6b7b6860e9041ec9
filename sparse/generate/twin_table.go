package generate

// A twin has the published facts about a matrix and the way to imitate it; one that another generator makes
// has none but its class (see imitations). Sizes, lengths and
// the statistics that the patterns are fitted to are those of the SuiteSparse Matrix Collection
// and of published feature tables; a deviation or a bound of lengths marked as not published is
// that of a relative, or of the class.
type twin struct {
	name, class     string
	rows, cols, nnz int
	symmetric       bool
	binary          bool // values are 1

	law        law     // of row lengths
	longest    int     // of a symmetric twin: one row is longer than the law's
	widen      float64 // of a symmetric twin: on the law's deviation, against what mirroring adds or smooths away; 0: 1
	stretch    int     // rows of a length that lie together; 0: lengths rise and fall slowly
	hills      int     // how often they do
	hub        int     // rows with an entry in the first column
	hubStretch int     // rows that lie together and have it or not
	pattern    pattern
	local      *form // where the original's locality is known better than by pattern; nil: there is one form
}

// A form is what differs between the two forms of a twin.
type form struct {
	law     law // zero: the twin's
	longest int // with law
	pattern pattern
}

// twins is the table of all twins, by name.
var twins = []twin{
	{
		name: "circuit5M_dc", class: "circuit", rows: 3523317, cols: 3523317, nnz: 14865409,
		law:     law{shape: bell, min: 1, max: 27, std: 2.1}, // std not published
		stretch: 4,
		pattern: pattern{diagonal: true, run: 1.6, keep: 4, drift: 0.7, near: 60, far: 0.15, reach: 3e6},
	},
	{
		name: "delaunay_n23", class: "triangulation",
	},
	{
		name: "europe_osm", class: "road", rows: 50912018, cols: 50912018, nnz: 108109320,
		symmetric: true, binary: true,
		law: law{shape: tail, min: 2, max: 5, std: 0.5}, longest: 13, // std not published
		stretch: 1,
		pattern: pattern{run: 1, keep: 3, drift: 1, near: 1, far: 0.06, reach: 4000},
	},
	{
		name: "hugetrace-00000", class: "dual of a triangulation",
	},
	{
		name: "mawi_201512020330", class: "giant row", rows: 226196185, cols: 226196185, nnz: 480047894,
		symmetric: true,
		law:       law{shape: tail, min: 2, max: 40, std: 0.65}, // not published
		stretch:   32, hub: 210000000, hubStretch: 4096,
		pattern: pattern{run: 1, keep: 1.5, near: 100, far: 0.02, reach: 1e7},
	},
	{
		name: "mawi_201512012345", class: "giant row", rows: 18571154, cols: 18571154, nnz: 38040320, symmetric: true,
		law:     law{shape: tail, min: 2, max: 40, std: 0.65},
		stretch: 32, hub: 16399900, hubStretch: 4096,
		pattern: pattern{run: 1, keep: 1.5, near: 100, far: 0.02, reach: 1e6},
	},
	{
		name: "model7", class: "LP", rows: 3358, cols: 9582, nnz: 51027,
		law:     law{shape: tail, min: 1, max: 253, std: 20}, // std not published
		stretch: 4,
		pattern: pattern{run: 1.5, keep: 2, drift: 0.3, near: 300, far: 0.1, reach: 8000},
	},
	{
		name: "lp_ganges", class: "LP", rows: 1309, cols: 1706, nnz: 6937,
		law:     law{shape: bell, min: 1, max: 13, std: 3}, // not published
		stretch: 4,
		pattern: pattern{run: 1.3, keep: 2, drift: 0.7, near: 60, far: 0.1, reach: 1500},
	},
	{
		name: "mouse_gene", class: "gene network", rows: 45101, cols: 45101, nnz: 28967291, symmetric: true,
		// std not published; human_gene1's is 1.27 times its mean
		law: law{shape: tail, min: 1, max: 6000, std: 900}, longest: 8000,
		stretch: 1,
		pattern: pattern{diagonal: true, run: 1.32, keep: 1.4, near: 100, far: 1, attract: true},
		local: &form{
			// fitted to the published median, 235
			law: law{shape: tail, min: 1, max: 5150, std: 1020}, longest: 8032,
			// fitted with human_gene1's size and lengths to its neighbours, 0.482, and similarity, 0.282
			pattern: pattern{diagonal: true, run: 1.16, keep: 1.2, near: 100, far: 1, attract: true},
		},
	},
	{
		name: "mycielskian16", class: "mycielskian",
	},
	{
		name: "webbase-1M", class: "web graph", rows: 1000005, cols: 1000005, nnz: 3105536,
		law:     law{shape: tail, min: 1, max: 4700, std: 25.3452},
		stretch: 16, hub: 28685, hubStretch: 64,
		pattern: pattern{diagonal: true, run: 1.38, keep: 6, drift: 0.5, near: 100, far: 1, reach: 8e5},
	},
	{
		name: "Hamrle3", class: "circuit", rows: 1447360, cols: 1447360, nnz: 5514242,
		law:     law{shape: bell, min: 2, max: 6, std: 1.4}, // not published
		stretch: 4,
		pattern: pattern{run: 1.4, keep: 4, drift: 0.7, near: 60, far: 0.3, reach: 1e6},
	},
	{
		name: "mc2depi", class: "triangular lattice",
	},
	{
		name: "Freescale1", class: "circuit", rows: 3428755, cols: 3428755, nnz: 17052626,
		law:     law{shape: bell, min: 1, max: 27, std: 2.1}, // not published; as circuit5M_dc
		stretch: 4,
		pattern: pattern{diagonal: true, run: 1.6, keep: 4, drift: 0.7, near: 60, far: 0.15, reach: 3e6},
	},
	{
		name: "mac_econ_fwd500", class: "economics", rows: 206500, cols: 206500, nnz: 1273389,
		law:     law{shape: bell, min: 1, max: 44, std: 4.43586},
		stretch: 2, hub: 44, hubStretch: 1,
		pattern: pattern{run: 1.1, keep: 1.75, drift: 1, near: 190, far: 0.1, reach: 1000},
	},
	{
		name: "torso2", class: "2D stencil", rows: 115967, cols: 115967, nnz: 1033473,
		law:     law{shape: bell, min: 8, max: 10, std: 0.3}, // not published: 9 points, fewer at the border
		stretch: 16,
		pattern: pattern{diagonal: true, run: 3, keep: 300, drift: 1, near: 20, far: 0.4, reach: 300},
	},
	{
		name: "cage14", class: "DNA walk", rows: 1505785, cols: 1505785, nnz: 27130349,
		// not published; cage15's are 3, 47 and 5.74 of mean 19.24
		law:     law{shape: bell, min: 3, max: 41, std: 5.37},
		stretch: 4,
		pattern: pattern{diagonal: true, run: 1.11, keep: 5, drift: 1, near: 500, far: 0.5, reach: 170000},
	},
	{
		name: "pwtk", class: "FEM blocks", rows: 217918, cols: 217918, nnz: 11524432, symmetric: true,
		law: law{shape: bell, min: 2, max: 80, std: 4.7439}, longest: 180, widen: 0.32,
		hills:   4,
		pattern: pattern{diagonal: true, regular: true, run: 16.4, drift: 0.03, reach: 6500},
	},
	{
		name: "cant", class: "FEM blocks", rows: 62451, cols: 62451, nnz: 4007383, symmetric: true,
		law:     law{shape: bell, min: 1, max: 78, std: 14.0563},
		hills:   4,
		pattern: pattern{diagonal: true, regular: true, run: 5.2, drift: 0.55, reach: 270},
	},
	{
		name: "Ga41As41H72", class: "quantum chemistry", rows: 268096, cols: 268096, nnz: 18488476, symmetric: true,
		law: law{shape: two, min: 18, max: 702, std: 105.388, low: 36}, longest: 702,
		hills:   4,
		pattern: pattern{diagonal: true, regular: true, run: 2.51, drift: 0.975, reach: 25300},
	},
	{
		name: "consph", class: "FEM blocks", rows: 83334, cols: 83334, nnz: 6010480, symmetric: true,
		law:     law{shape: head, min: 1, max: 80, std: 19.0802},
		hills:   2, // of four the first is so short that it adds to what begins there
		pattern: pattern{diagonal: true, regular: true, run: 7, drift: 0.18, reach: 2950},
	},
	{
		name: "F1", class: "FEM blocks", rows: 343791, cols: 343791, nnz: 26837113, symmetric: true,
		// not published; audikw_1's are 21, 345, 42.4 of mean 82.3
		law: law{shape: bell, min: 12, max: 330, std: 40}, longest: 435,
		hills:   4,
		pattern: pattern{diagonal: true, regular: true, run: 4.8, drift: 0.2, reach: 40000},
	},
	{
		name: "Si41Ge41H72", class: "quantum chemistry", rows: 185639, cols: 185639, nnz: 15011265, symmetric: true,
		law: law{shape: two, min: 13, max: 662, std: 126.972, low: 36}, longest: 662,
		hills:   4,
		pattern: pattern{diagonal: true, regular: true, run: 2.74, drift: 0.93, reach: 20000},
	},
	{
		name: "pdb1HYS", class: "dense blocks", rows: 36417, cols: 36417, nnz: 4344765, symmetric: true,
		law: law{shape: bell, min: 18, max: 195, std: 31.8604}, longest: 204,
		hills:   3,
		pattern: pattern{diagonal: true, regular: true, run: 12.3, drift: 0.16, reach: 2500},
	},
	{
		name: "rail4284", class: "set cover", rows: 4284, cols: 1096894, nnz: 11284032,
		law:     law{shape: tail, min: 2, max: 56182, std: 4209.26},
		stretch: 4,
		pattern: pattern{run: 4.72, keep: 1.6, near: 200000, far: 1, reach: 1096894},
		local:   &form{pattern: pattern{cluster: 8, tail: 1.1, gap: 1, keep: 1.62, slack: true}},
	},
	{
		name: "Stanford_Berkeley", class: "web graph", rows: 683446, cols: 683446, nnz: 7583376, binary: true,
		law:     law{shape: tail, min: 0, max: 83448, std: 268},
		stretch: 8, hub: 230, hubStretch: 1,
		pattern: pattern{run: 2.85, keep: 3, drift: 0.2, near: 200, far: 0.05, reach: 110000},
	},
	{
		name: "crankseg_1", class: "FEM blocks", rows: 52804, cols: 52804, nnz: 10614210, symmetric: true,
		// not published; crankseg_2's are 48, 3423, 95.9 of mean 221.6
		law: law{shape: bell, min: 48, max: 600, std: 90}, longest: 2703,
		hills:   3,
		pattern: pattern{diagonal: true, regular: true, run: 7.4, drift: 0.1, reach: 23000},
	},
	{
		name: "ecology1", class: "grid",
	},
	{
		name: "inline_1", class: "FEM blocks", rows: 503712, cols: 503712, nnz: 36816170, symmetric: true,
		law: law{shape: bell, min: 18, max: 300, std: 30}, longest: 843, // not published
		hills:   4,
		pattern: pattern{diagonal: true, regular: true, run: 6, drift: 0.2, reach: 3000},
	},
	{
		name: "sx-stackoverflow", class: "power law", rows: 2601977, cols: 2601977, nnz: 36233450,
		law:     law{shape: tail, min: 0, max: 38148, std: 137.85},
		stretch: 1,
		pattern: pattern{run: 1, keep: 1.13, near: 1e5, far: 0.35, popular: 1.45},
	},
}
