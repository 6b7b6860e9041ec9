package generate

import "spmvtune/sparse"

func countArg(name string, most float64, doc string) Arg {
	return Arg{Name: name, Kind: Int, Min: 1, Max: most, Required: true, Doc: doc}
}

func meanArg(name string, usual float64, doc string) Arg {
	return Arg{Name: name, Kind: Float, Min: 0, Max: 1 << 20, Default: usual, Doc: doc}
}

func shareArg(name string, usual float64, doc string) Arg {
	return Arg{Name: name, Kind: Float, Min: 0, Max: 1, Default: usual, Doc: doc}
}

// structures are generators of what real collections hold beside the classics: the rows of
// most are drawn, and NNZ of their plans is about what they get.
var structures = []Generator{
	{
		Name: "hypergraph", Class: "hypergraph",
		Doc: "nets of a chip and the cells that they join: most have few pins near each other, few have hundreds " +
			"anywhere (Landman and Russo, IEEE Trans. Computers 20, 1971)",
		Args: []Arg{countArg("nets", sparse.MaxIndex, "nets, and rows"),
			countArg("cells", sparse.MaxIndex, "cells, and columns"),
			meanArg("pins", 4, "mean pins of a net, at least 2"), seedArg},
		plan: planHypergraph,
	},
	{
		Name: "cliques", Class: "cliques",
		Doc: "people who have been in a group together: a clique for each group, most of them among neighbours, " +
			"symmetric",
		Args: []Arg{countArg("rows", sparse.MaxIndex, "people"), meanArg("groups", 1, "groups per person"),
			meanArg("size", 4, "mean people of a group, at least 2"), seedArg},
		plan: planCliques,
	},
	{
		Name: "citations", Class: "citations",
		Doc: "papers and the earlier ones that they cite, half of these recent, half well known: strictly lower " +
			"triangular",
		Args: []Arg{countArg("rows", sparse.MaxIndex, "papers, in order of time"),
			meanArg("row_nnz", 10, "mean papers cited by one"), seedArg},
		plan: planCitations,
	},
	{
		Name: "small_world", Class: "small world",
		Doc: "ring whose vertices know their nearest, some of these edges rewired to anywhere (Watts and " +
			"Strogatz, Nature 393, 1998), symmetric",
		Args: []Arg{countArg("rows", sparse.MaxIndex, "vertices"),
			{Name: "degree", Kind: Int, Min: 2, Max: 4096, Default: 10, Doc: "mean degree, even"},
			shareArg("rewired", 0.1, "share of the edges that lead anywhere"), seedArg},
		plan: planSmallWorld,
	},
	{
		Name: "rails", Class: "supply rails",
		Doc: "circuit whose devices tie neighbouring nodes, and many of them to one of a few supply rails, " +
			"symmetric with a full diagonal",
		Args: []Arg{countArg("rows", sparse.MaxIndex, "nodes"), meanArg("degree", 3, "mean neighbours of a node"),
			{Name: "rails", Kind: Int, Min: 1, Max: 1 << 10, Default: 2, Doc: "supply rails"},
			shareArg("tied", 0.3, "share of the nodes that are tied to a rail"), seedArg},
		plan: planRails,
	},
	{
		Name: "road_rcm", Class: "reordered road",
		Doc: "road in the reverse Cuthill-McKee order", Args: argsOf("road"),
		plan: reversed(planRoad),
	},
	{
		Name: "delaunay_rcm", Class: "reordered mesh",
		Doc: "delaunay in the reverse Cuthill-McKee order", Args: argsOf("delaunay"),
		plan: reversed(planDelaunay),
	},
	{
		Name: "stencil_3d", Class: "3D stencil",
		Doc: "7-point or 27-point stencil on an nx by ny by nz grid",
		Args: []Arg{countArg("nx", 1<<20, "points of a line, numbered first"), countArg("ny", 1<<20, "lines of a plane"),
			countArg("nz", 1<<20, "planes"),
			{Name: "corners", Kind: Int, Min: 0, Max: 1, Default: 0, Doc: "1: all 27 points"}, seedArg},
		plan: planStencil,
	},
	{
		Name: "transfer", Class: "multigrid transfer",
		Doc: "trilinear interpolation from a grid to one of half its spacing, rows of 1, 2, 4 and 8; or the " +
			"restriction back, rows of up to 27",
		Args: []Arg{countArg("nx", 1<<20, "coarse points of a line, numbered first"),
			countArg("ny", 1<<20, "coarse lines of a plane"), countArg("nz", 1<<20, "coarse planes"),
			{Name: "restrict", Kind: Int, Min: 0, Max: 1, Default: 0, Doc: "1: the transpose"}, seedArg},
		plan: planTransfer,
	},
	{
		Name: "queues", Class: "queueing network",
		Doc: "Markov chain of customers who pass queues in line: its states are the lengths of all queues, a row " +
			"has where it goes by one arrival or service",
		Args: []Arg{countArg("queues", 24, "queues"), countArg("capacity", 1<<20, "most customers of a queue"), seedArg},
		plan: planQueues,
	},
	{
		Name: "spins", Class: "spin chain",
		Doc: "Hamiltonian of Heisenberg's ring of spins, of which a fixed number point up: states in order of " +
			"their bits, neighbours differ by one exchange",
		Args: []Arg{countArg("sites", 62, "spins, at least 3"), countArg("up", 62, "of them up"), seedArg},
		plan: planSpins,
	},
	{
		Name: "particles", Class: "particles",
		Doc: "particles of a periodic box nearer to each other than a radius, themselves included, numbered by " +
			"cells of that size, symmetric",
		Args: []Arg{countArg("rows", sparse.MaxIndex, "particles"), meanArg("neighbours", 40, "mean neighbours"), seedArg},
		plan: planParticles,
	},
	{
		Name: "ldpc", Class: "LDPC code",
		Doc: "parity checks of a quasi-cyclic code: a few shifted identity matrices in each row of blocks " +
			"(Fossorier, IEEE Trans. Information Theory 50, 2004)",
		Args: []Arg{countArg("checks", 1<<20, "rows of blocks"), countArg("symbols", 1<<20, "columns of blocks"),
			countArg("size", 1<<20, "rows and columns of a block"), countArg("weight", 1<<20, "blocks that a row of them has"),
			seedArg},
		plan: planLDPC,
	},
	{
		Name: "low_rank", Class: "low rank",
		Doc: "diagonal plus a product of sparse factors: each factor's rows couple with each other, wherever " +
			"they are",
		Args: []Arg{countArg("rows", sparse.MaxIndex, "rows and columns"), countArg("rank", sparse.MaxIndex, "factors"),
			countArg("support", 1<<16, "rows of a factor"), seedArg},
		plan: planLowRank,
	},
	{
		Name: "kronecker", Class: "Kronecker product",
		Doc: "Kronecker product of two square matrices with random columns",
		Args: []Arg{countArg("outer", 1<<20, "rows of the first factor"),
			countArg("outer_nnz", 1<<20, "nonzeros of its rows"),
			countArg("inner", 1<<20, "rows of the second factor"), countArg("inner_nnz", 1<<20, "nonzeros of its rows"),
			seedArg},
		plan: planKronecker,
	},
	{
		Name: "dense_columns", Class: "dense columns",
		Doc: "short rows near the diagonal, and a few columns that many rows have",
		Args: []Arg{countArg("rows", sparse.MaxIndex, "rows and columns"),
			meanArg("row_nnz", 6, "mean nonzeros near the diagonal"), countArg("dense", 1<<16, "dense columns"),
			shareArg("filled", 0.5, "share of the rows that a dense column is in"),
			seedArg},
		plan: planDense,
	},
	{
		Name: "staircase", Class: "staircase",
		Doc: "linear program over periods: each has constraints on its own variables and some on those of the " +
			"period before; one constraint in 40 is 20 times as long",
		Args: []Arg{countArg("periods", 1<<20, "periods"), countArg("rows", 1<<28, "constraints of a period"),
			countArg("cols", 1<<28, "variables of a period"), meanArg("row_nnz", 6, "mean variables of a constraint"), seedArg},
		plan: planStaircase,
	},
	{
		Name: "unfolding", Class: "tensor unfolding",
		Doc: "three-way tensor unfolded along the first way: some rows and columns are met far more often than " +
			"others",
		Args: []Arg{countArg("rows", sparse.MaxIndex, "first way"), countArg("second", 1<<20, "second way"),
			countArg("third", 1<<20, "third way, numbered first"), meanArg("row_nnz", 20, "mean nonzeros of a row"), seedArg},
		plan: planUnfolding,
	},
	{
		Name: "windows", Class: "time series",
		Doc: "windows that slide over a series, one a row: runs of columns, without the samples that are missing",
		Args: []Arg{countArg("rows", sparse.MaxIndex, "windows"), countArg("window", 1<<20, "samples of a window"),
			countArg("stride", 1<<20, "samples from a window to the next"),
			shareArg("missing", 0.05, "share of the samples that are missing"), seedArg},
		plan: planWindows,
	},
	{
		Name: "tomography", Class: "tomography",
		Doc: "parallel rays through an image, two pixels a step (Joseph, IEEE Trans. Medical Imaging 1, 1982): " +
			"half of the directions along its lines, half across",
		Args: []Arg{countArg("side", 1<<15, "pixels of a side, and rays of a direction"),
			countArg("directions", 1<<16, "directions"), seedArg},
		plan: planTomography,
	},
}

// argsOf returns the arguments of one of the classics.
func argsOf(name string) []Arg {
	for _, g := range classics {
		if g.Name == name {
			return g.Args
		}
	}
	panic("no generator " + name)
}

// The bounds keep sizes below 2⁶³; what 32-bit indices can't hold is refused later.
const mostRows = 1 << 28

func rowsArg(doc string) Arg {
	return Arg{Name: "rows", Kind: Int, Min: 1, Max: mostRows, Required: true, Doc: doc}
}

func colsArg(doc string) Arg {
	return Arg{Name: "cols", Kind: Int, Min: 2, Max: sparse.MaxIndex, Required: true, Doc: doc}
}

func densityArg(usual, most float64, doc string) Arg {
	return Arg{Name: "density", Kind: Float, Min: 0.001, Max: most, Default: usual, Doc: doc}
}

// layerArgs are those of a layer of a neural network, all of whose weights are looked at.
func layerArgs(of string, args ...Arg) []Arg {
	const widest = 1 << 20
	return append([]Arg{
		{Name: "rows", Kind: Int, Min: 1, Max: widest, Required: true, Doc: "outputs" + of},
		{Name: "cols", Kind: Int, Min: 2, Max: widest, Required: true, Doc: "inputs" + of},
	}, append(args, seedArg)...)
}

var bundleArgs = []Arg{
	countArg("points", mostRows, "points, of 3 unknowns"),
	{Name: "cameras", Kind: Int, Min: 4, Max: 1 << 24, Required: true, Doc: "cameras, of 9 unknowns"},
	{Name: "track", Kind: Int, Min: 2, Max: 64, Default: 5, Doc: "mean cameras that see a point"},
	seedArg,
}

// applications are generators of what a field of application works with: data, learning,
// optimization, vision, networks.
var applications = []Generator{
	{
		Name: "bipartite",
		Doc: "users by items: few users have most of the entries, and few items; both in no order, as ratings " +
			"and purchases are",
		Class: "bipartite",
		Args: []Arg{
			rowsArg("users"), colsArg("items"),
			{Name: "row_nnz", Kind: Float, Min: 1, Max: 1 << 20, Default: 20, Doc: "mean items of a user"},
			seedArg,
		},
		plan: planBipartite,
	},
	{
		Name:  "term_document",
		Doc:   "words by documents: Zipf's law of words (Mandelbrot 1953), the commonest first",
		Class: "term-document",
		Args: []Arg{
			rowsArg("words"), colsArg("documents"),
			{Name: "row_nnz", Kind: Float, Min: 1, Max: 1 << 20, Default: 30, Doc: "mean documents of a word"},
			seedArg,
		},
		plan: planTerms,
	},
	{
		Name: "sat",
		Doc: "clauses by variables: three literals a clause and, in long ones, a heavy tail of them; the default " +
			"ratio is where random 3-SAT is hardest",
		Class: "SAT",
		Args: []Arg{
			rowsArg("clauses"),
			{Name: "ratio", Kind: Float, Min: 0.1, Max: 1000, Default: 4.26, Doc: "clauses per variable"},
			shareArg("long", 0, "share of clauses that are long"),
			shareArg("reach", 1, "share of all variables among which a clause has its own"),
			seedArg,
		},
		plan: planSAT,
	},
	{
		Name:  "latin_square",
		Doc:   "constraint graph of a Latin square: cells in one row or one column must differ, values 1",
		Class: "Latin square",
		Args: []Arg{
			countArg("order", 1<<13, "cells of a row and of a column; there are as many rows as cells"),
		},
		plan: planLatin,
	},
	{
		Name: "bundle_jacobian",
		Doc: "Jacobian of bundle adjustment: two rows an observation, with 9 columns of its camera and 3 of its " +
			"point, as in Bundle Adjustment in the Large",
		Class: "bundle adjustment",
		Args:  bundleArgs,
		plan:  planJacobian,
	},
	{
		Name:  "bundle_normal",
		Doc:   "normal matrix of such a Jacobian: long rows of cameras, then short ones of points, symmetric",
		Class: "normal equations",
		Args:  bundleArgs,
		plan:  planNormal,
	},
	{
		Name:  "bundle_schur",
		Doc:   "its Schur complement: dense 9 by 9 blocks of cameras that see a point together, symmetric",
		Class: "Schur complement",
		Args:  bundleArgs,
		plan:  planSchur,
	},
	{
		Name: "kkt",
		Doc: "KKT system of an optimization, [H Aᵀ; A 0]: a mesh of unknowns, constraints on some that lie " +
			"together, symmetric",
		Class: "KKT",
		Args: []Arg{
			{Name: "unknowns", Kind: Int, Min: 8, Max: mostRows, Required: true, Doc: "rows of H"},
			shareArg("constraints", 0.5, "rows of A, per unknown"),
			{Name: "row_nnz", Kind: Int, Min: 1, Max: 1 << 12, Default: 6, Doc: "unknowns in a constraint"},
			seedArg,
		},
		plan: planKKT,
	},
	{
		Name:  "power_grid",
		Doc:   "power grid: a tree of buses with a few loops, a dense 2 by 2 block for each entry, symmetric",
		Class: "power grid",
		Args: []Arg{
			countArg("buses", mostRows, "buses, of 2 rows"),
			{Name: "degree", Kind: Float, Min: 2, Max: 2.99, Default: 2.8, Doc: "mean lines of a bus"},
			seedArg,
		},
		plan: planPower,
	},
	{
		Name: "fem_globals",
		Doc: "fem_blocks with a few unknowns that every node is tied to, as Lagrange multipliers and coupled " +
			"physics have: dense last rows and columns",
		Class: "multi-physics",
		Args: []Arg{
			countArg("nodes", mostRows, "nodes of the mesh"),
			{Name: "dof", Kind: Int, Min: 1, Max: 64, Default: 3, Doc: "unknowns per node"},
			{Name: "neighbours", Kind: Float, Min: 0, Max: 4096, Default: 14,
				Doc: "mean neighbours of a node, itself not counted"},
			{Name: "band", Kind: Int, Min: 1, Max: mostRows, Default: 400, Doc: "farthest neighbour, in nodes"},
			{Name: "globals", Kind: Int, Min: 0, Max: 1 << 12, Default: 4, Doc: "dense rows and columns"},
			seedArg,
		},
		plan: planGlobals,
	},
	{
		Name: "bordered_blocks",
		Doc: "dense blocks along the diagonal, last rows and columns full: an arrow of blocks, as domain " +
			"decomposition and stochastic programs have, symmetric",
		Class: "bordered blocks",
		Args: []Arg{
			countArg("blocks", 1<<24, "blocks along the diagonal"),
			{Name: "size", Kind: Int, Min: 1, Max: 1 << 12, Default: 12, Doc: "rows of a block"},
			{Name: "border", Kind: Int, Min: 0, Max: 1 << 12, Default: 8, Doc: "full rows and columns"},
			seedArg,
		},
		plan: planBordered,
	},
	{
		Name: "single_cell",
		Doc: "genes by cells, as single-cell sequencing counts: mean counts are log-normal, most genes are in " +
			"hardly any cell, some in all",
		Class: "single cell",
		Args: []Arg{rowsArg("genes"), colsArg("cells"),
			densityArg(0.08, 0.9, "share of genes that are seen in a cell"), seedArg},
		plan: planCells,
	},
	{
		Name: "pruned",
		Doc: "layer of a neural network whose small weights are pruned, wherever they are; rows and columns " +
			"differ in importance",
		Class: "pruned layer",
		Args:  layerArgs("", densityArg(0.1, 0.44, "share of weights that are kept")),
		plan:  planPruned,
	},
	{
		Name:  "nm_pruned",
		Doc:   "layer of a neural network of which n of each m consecutive weights of a row are kept",
		Class: "N:M layer",
		Args: layerArgs("",
			Arg{Name: "n", Kind: Int, Min: 1, Max: 1 << 10, Default: 2, Doc: "weights that are kept of a group"},
			Arg{Name: "m", Kind: Int, Min: 2, Max: 1 << 10, Default: 4, Doc: "weights of a group; cols is a multiple"}),
		plan: planGroups,
	},
	{
		Name:  "block_pruned",
		Doc:   "layer of a neural network that is pruned by dense blocks",
		Class: "block-pruned layer",
		Args: layerArgs(", a multiple of block",
			Arg{Name: "block", Kind: Int, Min: 1, Max: 1 << 10, Default: 4, Doc: "rows and columns of a block"},
			densityArg(0.1, 1, "share of blocks that are kept")),
		plan: planBlockPruned,
	},
	{
		Name: "attention",
		Doc: "mask of sparse attention (BigBird, Zaheer and others, NeurIPS 2020): global tokens, a window, random " +
			"others, by dense blocks",
		Class: "attention",
		Args: []Arg{
			countArg("rows", 1<<22, "tokens, or blocks of them"),
			{Name: "window", Kind: Int, Min: 0, Max: 1 << 20, Default: 64, Doc: "neighbours on each side"},
			{Name: "global", Kind: Int, Min: 0, Max: 1 << 20, Default: 16,
				Doc: "first ones, which see all and are seen by all"},
			{Name: "random", Kind: Int, Min: 0, Max: 1 << 20, Default: 8, Doc: "random others"},
			{Name: "block", Kind: Int, Min: 1, Max: 128, Default: 1, Doc: "tokens of a block"},
			seedArg,
		},
		plan: planAttention,
	},
}
