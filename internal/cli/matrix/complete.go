package matrix

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spmvtune/sparse/fetch"
	"spmvtune/sparse/file"
	"spmvtune/sparse/generate"
)

// completeTarget completes a matrix: a file, a generator with its arguments, or a downloaded
// matrix.
func completeTarget(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if list := completeGenerator(begun); len(list) > 0 {
		return list, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
	}
	if list := completeDownloaded(begun); len(list) > 0 {
		return list, cobra.ShellCompDirectiveNoFileComp
	}
	return Files, cobra.ShellCompDirectiveFilterFileExt
}

// completeGenerator completes a generator's name, the names of its arguments, and values from
// a list.
func completeGenerator(begun string) (list []string) {
	name, rest, arguments := strings.Cut(begun, ":")
	if !arguments {
		for _, g := range generate.Generators {
			if begun != "" && strings.HasPrefix(g.Name, begun) {
				list = append(list, g.Name+":")
			}
		}
		return list
	}

	g, known := generate.Lookup(name)
	if !known {
		return nil
	}

	given := strings.Split(rest, ",")
	last := given[len(given)-1]
	before := strings.TrimSuffix(begun, last)

	for _, a := range g.Args {
		if value, ok := strings.CutPrefix(last, a.Name+"="); ok {
			for _, c := range a.Choices {
				if strings.HasPrefix(c, value) {
					list = append(list, before+a.Name+"="+c)
				}
			}
			return list
		}
		taken := slices.ContainsFunc(given, func(s string) bool { return strings.HasPrefix(s, a.Name+"=") })
		if !taken && strings.HasPrefix(a.Name, last) {
			list = append(list, before+a.Name+"=")
		}
	}

	return list
}

// completeDownloaded completes Group/Name of a downloaded matrix.
func completeDownloaded(begun string) (list []string) {
	if c, err := fetch.Default(); err == nil && begun != "" {
		for _, id := range c.Downloaded() {
			if strings.HasPrefix(id.String(), begun) {
				list = append(list, id.String())
			}
		}
	}
	return list
}

// Files are the extensions of files that matrices are read from.
var Files = func() (all []string) {
	for _, ext := range file.Extensions {
		all = append(all, strings.TrimPrefix(ext, "."))
	}
	return all
}()
