package rule

import (
	"math"

	"spmvtune/tuner/stat"
)

// Figures sum up how a way to choose did on held-out matrices, as fractions of
// the oracle.
type Figures struct {
	Matrices    int     `json:"matrices"` // on which it is known
	Mean        float64 `json:"mean"`     // geometric
	Worst       float64 `json:"worst"`
	WorstMatrix string  `json:"worst_matrix"`
	Within5     float64 `json:"within_5_percent"` // share of matrices at 0.95 or more
}

// Summarise sums up one fraction of each case. It leaves out those of 0, which are not known, and
// partial cases, where a way to choose may seem slow only because its kernel was not tried. Without
// any all figures are 0.
func Summarise(cases []Case, fraction func(Case) float64) Figures {
	f := Figures{Worst: math.Inf(1)}
	var mean stat.GeometricMean
	for _, c := range cases {
		x := fraction(c)
		if x == 0 || c.Partial {
			continue
		}
		f.Matrices++
		mean.Add(x)
		if x < f.Worst {
			f.Worst, f.WorstMatrix = x, c.Matrix
		}

		if x >= 0.95 {
			f.Within5++
		}
	}

	if f.Matrices == 0 {
		return Figures{}
	}
	f.Mean, f.Within5 = mean.Value(), f.Within5/float64(f.Matrices)
	return f
}

// A Way is a way to choose a configuration for a matrix, and the fraction of the oracle
// that it reached in a case; 0 where that is not known.
type Way struct {
	Name string
	Of   func(Case) float64
}

// Ways are the ways to choose that are compared, the rule itself first.
var Ways = []Way{
	Learned,
	LearnedTop3,
	OverSizes,
	{"tree, never pruned", func(c Case) float64 { return c.Unpruned }},
	Boosted,
	BoostedTop3,
	SingleConfig, SingleKernel, CuSPARSE, COOFinal, CSRFive,
}

// Those of them that figures name.
var (
	Learned      = Way{"learned tree", func(c Case) float64 { return c.Fraction }}
	LearnedTop3  = Way{"learned tree, best of 3", func(c Case) float64 { return c.Top3 }}
	OverSizes    = Way{"tree over sizes only", func(c Case) float64 { return c.Sizes }}
	Boosted      = Way{"boosted ensemble", func(c Case) float64 { return c.Ensemble }}
	BoostedTop3  = Way{"boosted ensemble, best of 3", func(c Case) float64 { return c.EnsembleTop3 }}
	BestNamed    = Way{"the best of all that the rule names", func(c Case) float64 { return c.Named }}
	SingleConfig = Way{"best single configuration", func(c Case) float64 { return c.SingleConfig }}
	SingleKernel = Way{"best single kernel, tuned", func(c Case) float64 { return c.SingleKernel }}
	CuSPARSE     = Way{"cuSPARSE, the fastest of its algorithms", func(c Case) float64 { return c.CuSPARSE }}
	COOFinal     = Way{"rule of coo-spmv-final, tuned", func(c Case) float64 { return c.COOFinal }}
	CSRFive      = Way{"rule of csr-five-algorithms, tuned", func(c Case) float64 { return c.CSRFive }}
)
