package table

import "strings"

// LaTeX escapes s: characters with a meaning in LaTeX get a backslash, and characters
// beyond ASCII become commands that every engine knows, or a question mark.
func LaTeX(s string) string {
	var b strings.Builder
	for _, r := range s {
		if known, ok := latexRunes[r]; ok {
			b.WriteString(known)
			continue
		}
		switch {
		case strings.ContainsRune("&%$#_{}", r):
			b.WriteString("\\" + string(r))
		case r == '[' || r == '*': // after the end of a row it would be an option of that
			b.WriteString("{" + string(r) + "}")
		case r < ' ' || r == 0x7f:
			b.WriteByte(' ')
		case r > 0x7f:
			b.WriteByte('?')
		default:
			b.WriteRune(r)
		}
	}

	return b.String()
}

var latexRunes = map[rune]string{
	'\\': `\textbackslash{}`, '~': `\textasciitilde{}`, '^': `\textasciicircum{}`, '<': `$<$`, '>': `$>$`, '|': `$|$`,
	'±': `$\pm$`, '×': `$\times$`, '−': `$-$`, '–': `--`, '—': `---`, '\u202f': `\,`, '\u00a0': `~`, '·': `$\cdot$`,
	'≥': `$\geq$`, '≤': `$\leq$`,
	'≈': `$\approx$`, 'µ': `$\mu$`, 'μ': `$\mu$`, '²': `$^2$`, '√': `$\surd$`, '∞': `$\infty$`, '…': `\ldots{}`,
	'’': `'`, '“': "``", '”': `''`, '°': `$^\circ$`,
	'ä': `\"a`, 'ö': `\"o`, 'ü': `\"u`, 'é': `\'e`, 'è': "\\`e", 'ß': `\ss{}`,
}
