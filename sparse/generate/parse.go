package generate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ParseSpec reads what [Spec] writes, "rmat(scale=18, seed=1)", and the form for
// command lines, which needs no quotes: "rmat:scale=18,seed=1". Arguments are int64,
// float64, or string where the generator takes text; digits may be grouped by
// underscores. What they mean is for [Check] to say.
func ParseSpec(text string) (name string, args map[string]any, err error) {
	name, list, some := strings.Cut(text, ":")
	if paren, rest, ok := strings.Cut(text, "("); ok && (!some || len(paren) < len(name)) {
		if name, list, some = paren, strings.TrimSuffix(rest, ")"), true; list == rest {
			return "", nil, fmt.Errorf("%q has no closing parenthesis", text)
		}
	}

	args = map[string]any{}
	if name = strings.TrimSpace(name); name == "" {
		return "", nil, fmt.Errorf("%q names no generator", text)
	}
	if !some || strings.TrimSpace(list) == "" {
		return name, args, nil
	}

	for pair := range strings.SplitSeq(list, ",") {
		key, value, ok := strings.Cut(pair, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if !ok || key == "" {
			return "", nil, fmt.Errorf("%q is no argument: write name=value, as in grid_5pt:nx=100,ny=100",
				strings.TrimSpace(pair))
		}

		if _, twice := args[key]; twice {
			return "", nil, fmt.Errorf("argument %s is given twice", key)
		}
		if takesText(name, key) {
			args[key] = value
			continue
		}

		value = strings.ReplaceAll(value, "_", "")
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			args[key] = n
		} else if x, err := strconv.ParseFloat(value, 64); err == nil {
			args[key] = x
		} else {
			return "", nil, fmt.Errorf("argument %s: %q is no number", key, value)
		}
	}

	return name, args, nil
}

// takesText reports whether a generator has such an argument.
func takesText(name, arg string) bool {
	g, ok := Lookup(name)
	return ok && slices.ContainsFunc(g.Args, func(a Arg) bool { return a.Name == arg && a.Kind == Text })
}
