package configs

import (
	_ "embed"
	"strings"
)

// Figures are the ids of the figures that a report can hold. A test of plots/figure writes
// them into figures.txt, from the registry there.
var Figures = strings.Fields(figureIDs)

//go:embed figures.txt
var figureIDs string
