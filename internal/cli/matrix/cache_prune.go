package matrix

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"spmvtune/internal/cli/command"
	"spmvtune/internal/term"
	"spmvtune/sparse/cache"
	"spmvtune/sparse/fetch"
)

func newCachePrune() *cobra.Command {
	var unused, size string
	var all, downloads bool
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Remove matrices that are kept, by age, by size, or all",
		Long: `prune removes the matrices that were not used for some time, or those used longest
ago until the others fit a size, or all of them; damaged ones always. They are read or
generated again when they are next needed. It disturbs no run on this machine.

With --downloads, it removes archives of the SuiteSparse collection that were downloaded
instead, by the same limits, and what is left of downloads that broke off. An archive is
used when a sweep or matrix get asks for its matrix; without it, that downloads it again.`,
		Example: `  spmvtune matrix cache prune --unused 30d
  spmvtune matrix cache prune --size 20GB
  spmvtune matrix cache prune --downloads --unused 90d
  spmvtune matrix cache prune --all`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			limits, err := pruneLimits(unused, size, all)
			if err != nil {
				return command.Usage(err)
			}
			if downloads {
				return pruneDownloads(cmd.OutOrStdout(), limits)
			}
			dir, _, err := keptMatrices()
			if err != nil {
				return err
			}
			removed, err := dir.Prune(limits)
			fmt.Fprintf(cmd.OutOrStdout(), "removed %s, %s\n", term.Matrices(len(removed)), term.Bytes(total(removed)))
			if err != nil {
				return fmt.Errorf("pruning the cache: %w", err)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&unused, "unused", "", "remove what was not used for longer than this: 30d, 12h")
	cmd.Flags().StringVar(&size, "size", "", "remove what was used longest ago until the rest takes no more than this: 20GB, 500MB")
	cmd.Flags().BoolVar(&all, "all", false, "remove everything")
	cmd.Flags().BoolVar(&downloads, "downloads", false, "remove downloaded archives instead")
	return cmd
}

// pruneDownloads removes archives of the collection.
func pruneDownloads(w io.Writer, limits cache.Limits) error {
	c, err := fetch.Default()
	if err != nil {
		return err
	}
	removed, err := c.Prune(limits)
	fmt.Fprintf(w, "removed %s\n", archives(removed))
	if err != nil {
		return fmt.Errorf("pruning downloads: %w", err)
	}
	return nil
}

// archives says how many there are, and how large.
func archives(list []fetch.Download) string {
	var bytes int64
	for _, d := range list {
		bytes += d.Bytes
	}
	return fmt.Sprintf("%s, %s", term.Count(len(list), "archive", "archives"), term.Bytes(bytes))
}

// pruneLimits reads the flags of prune.
func pruneLimits(unused, size string, all bool) (cache.Limits, error) {
	limits := cache.NoLimits
	switch given := unused != "" || size != ""; {
	case all && given:
		return limits, errors.New("--all removes everything: leave out --unused and --size")
	case all:
		return cache.Limits{}, nil // no entry has a size of 0
	case !given:
		return limits, errors.New("say what to remove: --unused 30d, --size 20GB or --all")
	}
	var err error
	if unused != "" {
		if limits.Unused, err = parseAge(unused); err != nil {
			return limits, err
		}
	}
	if size != "" {
		limits.Size, err = parseBytes(size)
	}
	return limits, err
}

// parseAge reads a duration, also in days.
func parseAge(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.ParseFloat(days, 64); err == nil && n >= 0 && n < 1e5 {
			return time.Duration(n * 24 * float64(time.Hour)), nil
		}
	} else if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return d, nil
	}
	return 0, fmt.Errorf("%q is no age: write 30d or 12h", text)
}

// parseBytes reads a size with a decimal unit, as term.Bytes prints it.
func parseBytes(text string) (int64, error) {
	number, factor := strings.ToLower(strings.ReplaceAll(text, " ", "")), 1.0
	for _, unit := range []struct {
		name   string
		factor float64
	}{{"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"tb", 1e12}, {"b", 1}} {
		if n, ok := strings.CutSuffix(number, unit.name); ok {
			number, factor = n, unit.factor
			break
		}
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || !(n >= 0 && n*factor < math.MaxInt64) {
		return 0, fmt.Errorf("%q is no size: write 20GB or 500MB", text)
	}
	return int64(n * factor), nil
}
