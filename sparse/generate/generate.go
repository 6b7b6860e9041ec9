// Package generate makes matrices whose structure is known: exact members of
// published families (stencils on grids, an epidemic's lattice, Mycielskian graphs,
// Delaunay triangulations and their duals) and seeded random ones that look like a
// class of real matrices (power laws, roads, finite elements, one giant row), or like
// one that is published (twins).
//
// Every generator is a row of the table [Generators]: its arguments are
// declared there, checked by [Build] before anything is allocated, and spelled
// out by [Spec]. A generator's output depends on its arguments and on [Version]
// alone, never on the number of cores: rows and edges draw from counter-based
// random numbers of their own, so they can be made in any order. Columns are
// strictly increasing within a row. Random values lie in (−1, 1), are never
// zero, and are exact in float32.
//
// It refuses sizes beyond [sparse.MaxIndex].
package generate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"spmvtune/sparse"
)

// Version changes whenever the output of any generator does, so that a matrix
// made by an older program is not mistaken for today's.
const Version = "2"

// A Generator is a row of the table: the matrices it makes and its arguments.
type Generator struct {
	Name  string
	Doc   string // one line, with the source of the structure
	Class string // structure class: matrices of one class are a family
	Args  []Arg  // in the order of Spec

	// plan says what the arguments ask for. It reports arguments that contradict each other by
	// wrong, and leaves what takes time or memory to the plan's build.
	plan planner
	// class says which class the arguments ask for, if that is not always Class.
	class func(v values) string
}

// A planner plans the matrix of some arguments.
type planner = func(v values) (plan, error)

// A plan is the size of a matrix, and the way to make it.
type plan struct {
	Size
	build func(ctx context.Context) (*sparse.CSR[float64], error)
}

// square is the size of a square matrix.
func square(n, nnz int) Size { return Size{Rows: n, Cols: n, NNZ: nnz} }

// A Size is the size of the matrix that a generator will make.
type Size struct {
	Rows, Cols int
	// NNZ is the number of nonzeros: exact; or an upper bound, for rmat, road, delaunay, its twin
	// and shuffled form, and attention; or about what is expected, where entries are drawn.
	NNZ int
}

// Generators is the table of all generators.
var Generators = slices.Concat(classics, structures, applications)

// classics are the generators of published families and of what papers on sparse kernels use.
var classics = []Generator{
	{
		Name: "grid_5pt",
		Doc: "5-point stencil on an nx by ny grid: diagonal 4, neighbours -1; 1000 by 1000 has the structure of " +
			"SuiteSparse's ecology1",
		Class: "grid",
		Args: []Arg{
			countArg("nx", 1<<30, "points per line, numbered first"),
			countArg("ny", 1<<30, "lines"),
		},
		plan: planGrid,
	},
	{
		Name:  "grid_blocks",
		Doc:   "5-point stencil on an nx by ny grid, a dense dof by dof block for each entry, symmetric",
		Class: "FEM blocks",
		Args: []Arg{
			countArg("nx", 1<<24, "points per line, numbered first"),
			countArg("ny", 1<<24, "lines"),
			{Name: "dof", Kind: Int, Min: 1, Max: 64, Default: 3,
				Doc: "unknowns per point, numbered before the points"},
			seedArg,
		},
		plan: planBlocks,
	},
	{
		Name: "triangular",
		Doc: "generator matrix of MARCA's two-dimensional epidemic model on a triangular lattice, rows sum to 0; " +
			"nx 512, ny 1024 has the structure of SuiteSparse's mc2depi",
		Class: "triangular lattice",
		Args: []Arg{
			countArg("nx", 1<<20, "states of the first variable are 0 to nx"),
			countArg("ny", 1<<20, "states of the second variable are 0 to ny"),
		},
		plan: planTriangular,
	},
	{
		Name: "delaunay",
		Doc: "graph of the Delaunay triangulation of random points in the unit square, numbered along the Z-order " +
			"curve, values 1; 2^k points make what SuiteSparse's delaunay_nk are",
		Class: "triangulation",
		Args: []Arg{
			countArg("points", 1<<28, "points, and rows"),
			seedArg,
		},
		plan: planDelaunay,
	},
	{
		Name: "delaunay_shuffled",
		Doc: "the same with rows and columns in one random order, as a mesh whose points come in no order: the " +
			"products of a row are spread over all of x",
		Class: "triangulation",
		Args: []Arg{
			countArg("points", 1<<28, "points, and rows"),
			seedArg,
		},
		plan: scrambled(planDelaunay),
	},
	{
		Name: "triangulation_dual",
		Doc: "dual graph of a triangulation of a square: triangles that share an edge, values 1; 4588484 rows and " +
			"border 7186 have the size of SuiteSparse's hugetrace-00000",
		Class: "dual of a triangulation",
		Args: []Arg{
			{Name: "rows", Kind: Int, Min: 2, Max: 1 << 29, Required: true, Doc: "triangles"},
			{Name: "border", Kind: Int, Min: 0, Max: 1 << 24, Default: 0,
				Doc: "edges on the border of the square; 0: about 2.5 times the square root of rows"},
			seedArg,
		},
		plan: planDual,
	},
	{
		Name: "mycielskian",
		Doc: "adjacency matrix of the Mycielskian graph of an order (Mycielski 1955), values 1, as in " +
			"SuiteSparse's group Mycielski; order 2 is one edge",
		Class: "mycielskian",
		Args: []Arg{
			{Name: "order", Kind: Int, Min: 2, Max: 19, Required: true,
				Doc: "chromatic number of the graph; 16 has 33,382,480 nonzeros"},
		},
		plan: planMycielskian,
	},
	{
		Name: "rmat",
		Doc: "R-MAT power law (Chakrabarti, Zhan and Faloutsos, SDM 2004), duplicate edges removed, vertices not " +
			"relabelled; the defaults of a, b, c are Graph500's",
		Class: "power law",
		Args: []Arg{
			{Name: "scale", Kind: Int, Min: 0, Max: 30, Required: true, Doc: "rows and columns are 2^scale"},
			meanArg("edge_factor", 16, "edges drawn per row, before duplicates are removed"),
			shareArg("a", 0.57, "probability of the upper left quadrant"),
			shareArg("b", 0.19, "probability of the upper right quadrant"),
			shareArg("c", 0.19, "probability of the lower left quadrant"),
			{Name: "symmetric", Kind: Int, Min: 0, Max: 1, Default: 0, Doc: "1: every edge in both directions"},
			seedArg,
		},
		plan: planRMAT,
	},
	{
		Name:  "uniform",
		Doc:   "every entry is a nonzero with the same probability (Erdős–Rényi); rows may be empty",
		Class: "uniform",
		Args: []Arg{
			{Name: "rows", Kind: Int, Min: 0, Max: sparse.MaxIndex, Required: true, Doc: "rows"},
			{Name: "cols", Kind: Int, Min: 0, Max: sparse.MaxIndex, Required: true, Doc: "columns"},
			{Name: "row_nnz", Kind: Float, Min: 0, Max: sparse.MaxIndex, Required: true, Doc: "mean nonzeros per row"},
			seedArg,
		},
		plan: planUniform,
	},
	{
		Name: "fem_blocks",
		Doc: "finite elements on a mesh with gaps: dense dof by dof blocks at a stencil's offsets within a band, " +
			"symmetric; the defaults resemble SuiteSparse's cant",
		Class: "FEM blocks",
		Args: []Arg{
			countArg("nodes", sparse.MaxIndex, "nodes of the mesh; there are nodes times dof rows"),
			{Name: "dof", Kind: Int, Min: 1, Max: 64, Default: 3, Doc: "unknowns per node"},
			{Name: "neighbours", Kind: Float, Min: 0, Max: 4096, Default: 20,
				Doc: "mean neighbours of a node, itself not counted"},
			{Name: "band", Kind: Int, Min: 1, Max: sparse.MaxIndex, Default: 400, Doc: "farthest neighbour, in nodes"},
			seedArg,
		},
		plan: planFEM,
	},
	{
		Name: "road",
		Doc: "road network: chains of vertices of degree 2 whose ends meet other chains nearby in junctions of " +
			"degree 3 or 4, symmetric; the default degree is europe_osm's",
		Class: "road",
		Args: []Arg{
			countArg("rows", sparse.MaxIndex, "vertices, numbered along the chains"),
			{Name: "degree", Kind: Float, Min: 2.01, Max: 2.5, Default: 2.12, Doc: "mean degree"},
			seedArg,
		},
		plan: planRoad,
	},
	{
		Name: "giant_row",
		Doc: "one giant row among short rows of equal length, square; the columns of a row are spread evenly, " +
			"with jitter",
		Class: "giant row",
		Args: []Arg{
			countArg("rows", sparse.MaxIndex, "rows and columns"),
			{Name: "row_nnz", Kind: Int, Min: 0, Max: sparse.MaxIndex, Default: 4, Doc: "nonzeros of every short row"},
			{Name: "giant", Kind: Int, Min: 0, Max: sparse.MaxIndex, Required: true, Doc: "nonzeros of the giant row"},
			shareArg("position", 0.5, "where the giant row is: 0 is the first row, 1 the last"),
			seedArg,
		},
		plan: planGiant,
	},
	{
		Name: "twin",
		Doc: "likeness of a matrix named in a publication: its size, and close to its row lengths, bandwidth, " +
			"runs of columns and similar rows",
		Class: "twin",
		Args: []Arg{
			{Name: "of", Kind: Text, Choices: twinNames(), Required: true, Doc: "SuiteSparse's name of the matrix"},
			{Name: "scale", Kind: Float, Min: 1e-9, Max: 1, Default: 1, Doc: "factor on rows, columns and nonzeros"},
			seedArg,
			{Name: "locality", Kind: Text, Choices: localities, only: hasForms,
				Doc: "of rail4284 and mouse_gene: columns as near each other as published figures tell, or scattered"},
		},
		plan: planTwin, class: func(v values) string { return twins[v.int("of")].Class },
	},
}

var seedArg = Arg{Name: "seed", Kind: Int, Min: 0, Max: 1<<53 - 1, Default: 1, Doc: "seed of the random numbers"}

// ClassOf returns the structure class of the matrix that Build would make for args:
// the generator's, or of a twin that of the matrix it is like.
func ClassOf(name string, args map[string]any) string {
	g, v, _, err := prepare(name, args)
	switch {
	case err != nil:
		return ""
	case g.class != nil:
		return g.class(v)
	}
	return g.Class
}

// Lookup returns the generator of that name.
func Lookup(name string) (*Generator, bool) {
	for i := range Generators {
		if Generators[i].Name == name {
			return &Generators[i], true
		}
	}
	return nil, false
}

// find is Lookup with an error that lists the generators.
func find(name string) (*Generator, error) {
	if g, ok := Lookup(name); ok {
		return g, nil
	}
	names := make([]string, len(Generators))
	for i, g := range Generators {
		names[i] = g.Name
	}
	return nil, fmt.Errorf("unknown generator %q; there are %s", name, strings.Join(names, ", "))
}

// Build makes the matrix that the named generator gives for args. Numbers of
// any Go integer or floating-point type are accepted; an integer argument may
// be given as 1e6. Missing optional arguments have their defaults. Every
// mistake in args is an *ArgError, all of them joined in one error. Build
// returns ctx's error soon after ctx is cancelled.
func Build(ctx context.Context, name string, args map[string]any) (*sparse.CSR[float64], error) {
	_, _, p, err := prepare(name, args)
	if err != nil {
		return nil, err
	}
	m, err := p.build(ctx)
	if err != nil {
		return nil, fmt.Errorf("generating %s: %w", Spec(name, args), err)
	}
	return m, nil
}

// Check reports what Build would refuse in args, without building.
func Check(name string, args map[string]any) error {
	_, _, _, err := prepare(name, args)
	return err
}

// Plan returns the size of the matrix that Build would make. It refuses what
// Build refuses.
func Plan(name string, args map[string]any) (Size, error) {
	_, _, p, err := prepare(name, args)
	return p.Size, err
}

// Spec gives a matrix its canonical name, with all arguments spelled out in the order of the
// table, but for the locality of a twin that has one form:
// "rmat(scale=18, edge_factor=16, …, seed=1)". Arguments that Build would refuse are
// shown as given, sorted by name.
func Spec(name string, args map[string]any) string {
	var parts []string
	if g, v, _, err := prepare(name, args); err == nil {
		for _, a := range g.Args {
			if a.only == nil || a.only(v) {
				parts = append(parts, a.Name+"="+a.text(v[a.Name]))
			}
		}
	} else {
		for _, key := range slices.Sorted(maps.Keys(args)) {
			parts = append(parts, fmt.Sprintf("%s=%v", key, args[key]))
		}
	}

	return name + "(" + strings.Join(parts, ", ") + ")"
}

// prepare finds a generator, checks and completes its arguments, and makes
// sure that 32-bit indices can hold the matrix.
func prepare(name string, args map[string]any) (*Generator, values, plan, error) {
	g, err := find(name)
	if err != nil {
		return nil, nil, plan{}, err
	}
	v, err := g.resolve(args)
	if err != nil {
		return nil, nil, plan{}, err
	}

	p, err := g.plan(v)
	if e, ok := errors.AsType[*ArgError](err); ok {
		e.Generator = name
	}
	if err != nil {
		return nil, nil, plan{}, err
	}
	for _, n := range []struct {
		what  string
		count int
	}{{"rows", p.Rows}, {"columns", p.Cols}, {"nonzeros", p.NNZ}} {
		if n.count < 0 { // an int can't hold it either
			n.count = math.MaxInt
		}
		if n.count > sparse.MaxIndex {
			return nil, nil, plan{}, fmt.Errorf("%s: %d %s are more than the %d that 32-bit indices can hold",
				name, n.count, n.what, sparse.MaxIndex)
		}
	}

	return g, v, p, nil
}
