package figure

// Beyond these numbers kernels can't be told apart: bars of one matrix on a page
// of speed-ups, lines in a small panel and lines in a large one.
const (
	mostBars       = 10
	mostSmallLines = 10
	mostLargeLines = 16
	mostLongLines  = 8 // over more than longLine matrices
)
