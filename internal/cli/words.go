package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// pageWidth is the width that tables and running text keep to, in columns.
const pageWidth = 100

// count gives a number with its noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// trials and matrices count them.
func trials(n int) string   { return count(n, "trial", "trials") }
func matrices(n int) string { return count(n, "matrix", "matrices") }

// unsensed says that a run goes on without the device's sensors, and why.
func unsensed(why string) string {
	return "the GPU's clocks, temperature and power are not recorded: " + why
}

// some joins names, the first few of them.
func some(names []string) string {
	const few = 5
	if len(names) <= few+1 {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:few], ", "), len(names)-few)
}

// wrap breaks text into lines of at most width columns, all but the first after
// an indent, which does not count.
func wrap(text string, width int, indent string) string {
	return fill(strings.Fields(text), width, indent)
}

// fill is wrap for words, none of which is broken.
func fill(words []string, width int, indent string) string {
	var b strings.Builder
	used := 0
	for i, word := range words {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case used+1+n > width:
			b.WriteString("\n" + indent)
			used = 0
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += n
	}
	return b.String()
}

// duration prints seconds in a unit that fits.
func duration(s float64) string {
	switch {
	case s != 0 && s < 999.5e-9:
		return digits(s*1e9) + " ns"
	case s < 999.5e-6:
		return digits(s*1e6) + " µs"
	case s < 999.5e-3:
		return digits(s*1e3) + " ms"
	default:
		return digits(s) + " s"
	}
}

// digits prints x with three significant digits, never in powers of ten.
func digits(x float64) string {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return strconv.FormatFloat(x, 'f', max(0, 2-magnitude(x)), 64)
}

// magnitude is the power of ten of x rounded to three digits: 0 for 9.99, 1 for
// 9.996.
func magnitude(x float64) int {
	text := strconv.FormatFloat(x, 'e', 2, 64)
	n, err := strconv.Atoi(text[strings.IndexByte(text, 'e')+1:])
	if err != nil {
		return 0 // NaN and infinities
	}
	return n
}

// again gives the command line that runs cmd with the flags that it was given
// and these words, as it can be typed into a shell.
func again(cmd *cobra.Command, words ...string) string {
	line := strings.Fields(cmd.CommandPath())
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "bool" {
			line = append(line, "--"+f.Name)
		} else {
			line = append(line, "--"+f.Name, f.Value.String())
		}
	})
	return shell(append(line, words...)...)
}

// shell joins words as they can be typed into a shell.
func shell(words ...string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,@%+"
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = w
		if w == "" || strings.Trim(w, plain) != "" {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}
