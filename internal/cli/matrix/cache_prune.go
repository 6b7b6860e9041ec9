package matrix

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"spmvtune/internal/base/term"
	"spmvtune/internal/cli/command"
	"spmvtune/sparse/cache"
	"spmvtune/sparse/fetch"
)

// cachePrune is the command matrix cache prune.
type cachePrune struct {
	unused, size   string
	all, downloads bool
}

func newCachePrune() *cobra.Command {
	var c cachePrune
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Remove cached matrices by age, by size, or all",
		Long: `prune removes matrices that were not used for some time, or the least recently used ones
until the others fit a size, or all of them. It always removes damaged ones. They are read
or generated again when they are needed. prune does not disturb runs on this machine.

With --downloads it removes downloaded archives of the SuiteSparse collection instead, by
the same limits, and what is left of interrupted downloads. An archive is used when a sweep
or matrix get asks for its matrix; once removed, it is downloaded again.`,
		Example: `  spmvtune matrix cache prune --unused 30d
  spmvtune matrix cache prune --size 20GB
  spmvtune matrix cache prune --downloads --unused 90d
  spmvtune matrix cache prune --all`,
		Args: cobra.NoArgs,
		RunE: c.Run,
	}
	f := cmd.Flags()
	f.StringVar(&c.unused, "unused", "", "remove matrices that were not used for this long: 30d, 12h")
	f.StringVar(&c.size, "size", "", "remove the least recently used until the rest fits into this: 20GB, 500MB")
	f.BoolVar(&c.all, "all", false, "remove everything")
	f.BoolVar(&c.downloads, "downloads", false, "remove downloaded archives instead")
	return cmd
}

// Run removes matrices.
func (c *cachePrune) Run(cmd *cobra.Command, _ []string) error {
	limits, err := c.limits()
	if err != nil {
		return command.Usage(err)
	}
	if c.downloads {
		return pruneDownloads(cmd.OutOrStdout(), limits)
	}
	dir, _, err := cachedMatrices()
	if err != nil {
		return err
	}

	removed, err := dir.Prune(limits)
	fmt.Fprintf(cmd.OutOrStdout(), "removed %s, %s\n", term.Matrices(len(removed)), term.Bytes(total(removed)))
	if err != nil {
		return fmt.Errorf("pruning the cache: %w", err)
	}
	return nil
}

// limits reads the flags.
func (c *cachePrune) limits() (cache.Limits, error) {
	limits := cache.NoLimits
	switch given := c.unused != "" || c.size != ""; {
	case c.all && given:
		return limits, errors.New("--all removes everything: leave out --unused and --size")
	case c.all:
		return cache.Limits{}, nil // no entry has a size of 0
	case !given:
		return limits, errors.New("name what to remove: --unused 30d, --size 20GB or --all")
	}

	var err error
	if c.unused != "" {
		if limits.Unused, err = parseAge(c.unused); err != nil {
			return limits, err
		}
	}

	if c.size != "" {
		limits.Size, err = term.ParseBytes(c.size)
	}
	return limits, err
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

// archives says how many archives there are and how large they are.
func archives(list []fetch.Download) string {
	var bytes int64
	for _, d := range list {
		bytes += d.Bytes
	}
	return fmt.Sprintf("%s, %s", term.Count(len(list), "archive", "archives"), term.Bytes(bytes))
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
	return 0, fmt.Errorf("%q must be an age such as 30d or 12h", text)
}
