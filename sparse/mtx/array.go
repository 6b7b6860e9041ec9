package mtx

// An array walks over the positions of a dense matrix in the order of the file:
// by columns, only below the diagonal if that is all that is stored.
type array struct {
	*body
	i, j  int     // the position that the next value belongs to
	half  bool    // the real part of a complex value was read, and waits in part
	part  float64 //
	first func(j int) int
}

func newArray(b *body) *array {
	a := &array{body: b}
	switch b.h.symmetry {
	case "general":
		a.first = func(int) int { return 0 }
	case "skew-symmetric": // the diagonal is zero, and not stored
		a.first = func(j int) int { return j + 1 }
	default:
		a.first = func(j int) int { return j }
	}
	a.i = a.first(0)
	return a
}

// values parses the numbers in block, however they lie on lines. line is the
// number of block's first line.
func (a *array) values(block []byte, line int) error {
	for i := skipBlanks(block, 0); i < len(block); {
		switch c := block[i]; {
		case c == '%':
			i = endOfLine(block, i)
			continue
		case c == '\n' || blank(c):
			i++
			continue
		}
		if a.done == a.h.entries {
			hint := ""
			if a.numbers == 1 {
				hint = "; an array with two numbers to a value says complex in line 1"
			}
			return a.s.errorf(lineAt(block, i, line), "more values than the %d of a %s array of %d×%d (line %d)%s", a.h.entries, a.h.symmetry, a.h.rows, a.h.cols, a.h.sizeLine, hint)
		}
		v, next, ok := parseValue(block, i)
		if !ok {
			return a.s.errorf(lineAt(block, i, line), "value %s is not a number", quote(block[i:endOfWord(block, i)]))
		}
		i = next
		if a.numbers > 1 {
			if a.half = !a.half; a.half {
				a.part = v
				continue
			}
			v = a.part
		}
		a.push(int32(a.i), int32(a.j), v)
		if a.i++; a.i == a.h.rows {
			a.j++
			a.i = a.first(a.j)
		}
	}
	return nil
}
