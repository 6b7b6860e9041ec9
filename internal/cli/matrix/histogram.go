package matrix

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"spmvtune/sparse"
)

// printHistogram prints a line for each bin of row lengths: how many rows, their share with a
// bar, and the share of the nonzeros that they hold, which sets a few giant rows apart from a
// few empty ones.
func printHistogram(w io.Writer, bins []sparse.LengthBin) {
	var rows, nonzeros int
	wide, digits := len("row length"), len("rows")
	for _, b := range bins {
		rows += b.Rows
		nonzeros += b.Nonzeros
		wide = max(wide, utf8.RuneCountInString(lengthText(b)))
		digits = max(digits, len(strconv.Itoa(b.Rows)))
	}

	most := 0.0
	for _, b := range bins {
		most = max(most, share(b.Rows, rows))
	}
	room := infoWidth - wide - digits - len("   100.0%   100.0% of nonzeros  ")

	fmt.Fprintf(w, "%*s  %*s%s  share\n", wide, "row length", digits, "rows", strings.Repeat(" ", 6))
	for i, b := range bins {
		if b.Rows == 0 { // a line for all empty bins of a run
			if bins[i-1].Rows > 0 {
				fmt.Fprintf(w, "%*s\n", wide, "⋮")
			}
			continue
		}
		length := fmt.Sprintf("%*s", wide+len(lengthText(b))-utf8.RuneCountInString(lengthText(b)), lengthText(b))
		part := share(b.Rows, rows)
		fmt.Fprintf(w, "%s  %*d  %s  %s  %s of nonzeros\n", length, digits, b.Rows, percent(part),
			bar(part/most, room), percent(share(b.Nonzeros, nonzeros)))
	}
}

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// percent takes six columns. It never rounds to nothing or to everything.
func percent(x float64) string {
	switch {
	case x > 0 && x < 0.0005:
		return " <0.1%"
	case x < 1 && x >= 0.9995:
		return ">99.9%"
	}
	return fmt.Sprintf("%5.1f%%", 100*x)
}

// lengthText is the range of lengths of a bin.
func lengthText(b sparse.LengthBin) string {
	if b.From == b.To {
		return strconv.Itoa(b.From)
	}
	return fmt.Sprintf("%d–%d", b.From, b.To)
}

// bar is a bar of x of the room, to half a column. It is never empty if x is not 0.
func bar(x float64, room int) string {
	halves := int(math.Round(2 * x * float64(room)))
	text := strings.Repeat("█", halves/2)
	switch {
	case halves%2 == 1:
		text += "▌"
	case halves == 0 && x > 0:
		text = "▏"
	}
	return text + strings.Repeat(" ", max(0, room-utf8.RuneCountInString(text)))
}
