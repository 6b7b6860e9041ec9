package generate

import "spmvtune/sparse"

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
	{Name: "points", Kind: Int, Min: 1, Max: mostRows, Required: true, Doc: "points, of 3 unknowns"},
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
		plan: planBipartite, build: buildBipartite,
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
		plan: planTerms, build: buildTerms,
	},
	{
		Name: "sat",
		Doc: "clauses by variables: three literals a clause and, in long ones, a heavy tail of them; the default " +
			"ratio is where random 3-SAT is hardest",
		Class: "SAT",
		Args: []Arg{
			rowsArg("clauses"),
			{Name: "ratio", Kind: Float, Min: 0.1, Max: 1000, Default: 4.26, Doc: "clauses per variable"},
			{Name: "long", Kind: Float, Min: 0, Max: 1, Default: 0, Doc: "share of clauses that are long"},
			{Name: "reach", Kind: Float, Min: 0, Max: 1, Default: 1,
				Doc: "share of all variables among which a clause has its own"},
			seedArg,
		},
		plan: planSAT, build: buildSAT,
	},
	{
		Name:  "latin_square",
		Doc:   "constraint graph of a Latin square: cells in one row or one column must differ, values 1",
		Class: "Latin square",
		Args: []Arg{
			{Name: "order", Kind: Int, Min: 1, Max: 1 << 13, Required: true,
				Doc: "cells of a row and of a column; there are as many rows as cells"},
		},
		plan: planLatin, build: buildLatin,
	},
	{
		Name: "bundle_jacobian",
		Doc: "Jacobian of bundle adjustment: two rows an observation, with 9 columns of its camera and 3 of its " +
			"point, as in Bundle Adjustment in the Large",
		Class: "bundle adjustment",
		Args:  bundleArgs,
		plan:  planJacobian, build: buildJacobian,
	},
	{
		Name:  "bundle_normal",
		Doc:   "normal matrix of such a Jacobian: long rows of cameras, then short ones of points, symmetric",
		Class: "normal equations",
		Args:  bundleArgs,
		plan:  planNormal, build: buildNormal,
	},
	{
		Name:  "bundle_schur",
		Doc:   "its Schur complement: dense 9 by 9 blocks of cameras that see a point together, symmetric",
		Class: "Schur complement",
		Args:  bundleArgs,
		plan:  planSchur, build: buildSchur,
	},
	{
		Name: "kkt",
		Doc: "KKT system of an optimization, [H Aᵀ; A 0]: a mesh of unknowns, constraints on some that lie " +
			"together, symmetric",
		Class: "KKT",
		Args: []Arg{
			{Name: "unknowns", Kind: Int, Min: 8, Max: mostRows, Required: true, Doc: "rows of H"},
			{Name: "constraints", Kind: Float, Min: 0, Max: 1, Default: 0.5, Doc: "rows of A, per unknown"},
			{Name: "row_nnz", Kind: Int, Min: 1, Max: 1 << 12, Default: 6, Doc: "unknowns in a constraint"},
			seedArg,
		},
		plan: planKKT, build: buildKKT,
	},
	{
		Name:  "power_grid",
		Doc:   "power grid: a tree of buses with a few loops, a dense 2 by 2 block for each entry, symmetric",
		Class: "power grid",
		Args: []Arg{
			{Name: "buses", Kind: Int, Min: 1, Max: mostRows, Required: true, Doc: "buses, of 2 rows"},
			{Name: "degree", Kind: Float, Min: 2, Max: 2.99, Default: 2.8, Doc: "mean lines of a bus"},
			seedArg,
		},
		plan: planPower, build: buildPower,
	},
	{
		Name: "fem_globals",
		Doc: "fem_blocks with a few unknowns that every node is tied to, as Lagrange multipliers and coupled " +
			"physics have: dense last rows and columns",
		Class: "multi-physics",
		Args: []Arg{
			{Name: "nodes", Kind: Int, Min: 1, Max: mostRows, Required: true, Doc: "nodes of the mesh"},
			{Name: "dof", Kind: Int, Min: 1, Max: 64, Default: 3, Doc: "unknowns per node"},
			{Name: "neighbours", Kind: Float, Min: 0, Max: 4096, Default: 14,
				Doc: "mean neighbours of a node, itself not counted"},
			{Name: "band", Kind: Int, Min: 1, Max: mostRows, Default: 400, Doc: "farthest neighbour, in nodes"},
			{Name: "globals", Kind: Int, Min: 0, Max: 1 << 12, Default: 4, Doc: "dense rows and columns"},
			seedArg,
		},
		plan: planGlobals, build: buildGlobals,
	},
	{
		Name: "bordered_blocks",
		Doc: "dense blocks along the diagonal, last rows and columns full: an arrow of blocks, as domain " +
			"decomposition and stochastic programs have, symmetric",
		Class: "bordered blocks",
		Args: []Arg{
			{Name: "blocks", Kind: Int, Min: 1, Max: 1 << 24, Required: true, Doc: "blocks along the diagonal"},
			{Name: "size", Kind: Int, Min: 1, Max: 1 << 12, Default: 12, Doc: "rows of a block"},
			{Name: "border", Kind: Int, Min: 0, Max: 1 << 12, Default: 8, Doc: "full rows and columns"},
			seedArg,
		},
		plan: planBordered, build: buildBordered,
	},
	{
		Name: "single_cell",
		Doc: "genes by cells, as single-cell sequencing counts: mean counts are log-normal, most genes are in " +
			"hardly any cell, some in all",
		Class: "single cell",
		Args: []Arg{rowsArg("genes"), colsArg("cells"),
			densityArg(0.08, 0.9, "share of genes that are seen in a cell"), seedArg},
		plan: planCells, build: buildCells,
	},
	{
		Name: "pruned",
		Doc: "layer of a neural network whose small weights are pruned, wherever they are; rows and columns " +
			"differ in importance",
		Class: "pruned layer",
		Args:  layerArgs("", densityArg(0.1, 0.44, "share of weights that are kept")),
		plan:  planPruned, build: buildPruned,
	},
	{
		Name:  "nm_pruned",
		Doc:   "layer of a neural network of which n of each m consecutive weights of a row are kept",
		Class: "N:M layer",
		Args: layerArgs("",
			Arg{Name: "n", Kind: Int, Min: 1, Max: 1 << 10, Default: 2, Doc: "weights that are kept of a group"},
			Arg{Name: "m", Kind: Int, Min: 2, Max: 1 << 10, Default: 4, Doc: "weights of a group; cols is a multiple"}),
		plan: planGroups, build: buildGroups,
	},
	{
		Name:  "block_pruned",
		Doc:   "layer of a neural network that is pruned by dense blocks",
		Class: "block-pruned layer",
		Args: layerArgs(", a multiple of block",
			Arg{Name: "block", Kind: Int, Min: 1, Max: 1 << 10, Default: 4, Doc: "rows and columns of a block"},
			densityArg(0.1, 1, "share of blocks that are kept")),
		plan: planBlockPruned, build: buildBlockPruned,
	},
	{
		Name: "attention",
		Doc: "mask of sparse attention (BigBird, Zaheer and others, NeurIPS 2020): global tokens, a window, random " +
			"others, by dense blocks",
		Class: "attention",
		Args: []Arg{
			{Name: "rows", Kind: Int, Min: 1, Max: 1 << 22, Required: true, Doc: "tokens, or blocks of them"},
			{Name: "window", Kind: Int, Min: 0, Max: 1 << 20, Default: 64, Doc: "neighbours on each side"},
			{Name: "global", Kind: Int, Min: 0, Max: 1 << 20, Default: 16,
				Doc: "first ones, which see all and are seen by all"},
			{Name: "random", Kind: Int, Min: 0, Max: 1 << 20, Default: 8, Doc: "random others"},
			{Name: "block", Kind: Int, Min: 1, Max: 128, Default: 1, Doc: "tokens of a block"},
			seedArg,
		},
		plan: planAttention, build: buildAttention,
	},
}
