// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/cli/command"
	"example.org/spmvtune/sparse/cache"
	"example.org/spmvtune/sparse/fetch"
)

func newMatrixCache() *cobra.Command {
	cmd := command.Group(&cobra.Command{
		Use:   "cache",
		Short: "List, prune or verify cached matrices",
		Long: `A matrix that was read from a file, or that took more than a second to generate, is
cached as a binary file, and the next run opens that file instead, unless its source has
changed. ` + cache.Env + ` names the folder, or is "off"; ` + cache.EnvLimit + `
says how much it may hold (spmvtune help environment). Beyond that, the matrices that were not
used for the longest are removed, but none that a running process measures. Downloaded archives
do not count, and only prune --downloads removes them.`,
		Example: `  spmvtune matrix cache list
  spmvtune matrix cache prune --unused 30d
  spmvtune matrix cache verify`,
	})
	cmd.AddCommand(newCacheList(), newCachePrune(), newCacheVerify())
	return cmd
}

// cacheList is the command matrix cache list.
type cacheList struct{ output command.Output }

func newCacheList() *cobra.Command {
	var c cacheList
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List cached matrices, the most recently used first",
		Example: `  spmvtune matrix cache list
  spmvtune matrix cache list --format json`,
		Args: cobra.NoArgs,
		RunE: c.Run,
	}
	c.output.Flags(cmd)
	return cmd
}

// Run lists cached matrices.
func (c *cacheList) Run(cmd *cobra.Command, _ []string) error {
	dir, all, err := cachedMatrices()
	if err != nil {
		return err
	}
	w := cmd.OutOrStdout()
	forPeople := c.output.ForPeople()
	if forPeople && len(all) == 0 {
		fmt.Fprintln(w, ExamineCache())
		return printDownloads(w)
	}

	if err := cacheTable(all, forPeople).Write(w, c.output.Format); err != nil || c.output.Data() {
		return err
	}
	fmt.Fprintf(w, "\n%s%s in %s\n", term.Bytes(total(all)), ofLimit(), dir.Path())
	return printDownloads(w)
}

func cacheTable(all []cache.Info, forPeople bool) term.Table {
	t := term.Table{Columns: []string{"matrix", "rows", "cols", "nonzeros", "bytes", "last_used", "key"}}
	for _, e := range all {
		f := e.Features
		name, size, used := any(e.Source), any(e.Size), e.Used.UTC().Format(time.RFC3339)
		if forPeople {
			name, size, used = filepath.Base(e.Source), term.Quantity(term.Bytes(e.Size)),
				e.Used.Format("2006-01-02 15:04")
		}
		if e.Err != nil {
			t.Add("(damaged)", nil, nil, nil, size, used, string(e.Key))
			continue
		}
		t.Add(name, f.Rows, f.Cols, f.Nonzeros, size, used, string(e.Key))
	}

	return t
}

// printDownloads says how many archives of the collection were downloaded, if any.
func printDownloads(w io.Writer) error {
	c, err := fetch.Default()
	if err != nil {
		return err
	}
	if list := c.Downloads(); len(list) > 0 {
		fmt.Fprintf(w, "downloaded: %s in %s\n", archives(list), c.Dir)
	}
	return nil
}

func newCacheVerify() *cobra.Command {
	return &cobra.Command{
		Use:     "verify",
		Short:   "Check all cached matrices and remove damaged ones",
		Example: "  spmvtune matrix cache verify",
		Args:    cobra.NoArgs,
		RunE:    verifyCache,
	}
}

func verifyCache(cmd *cobra.Command, _ []string) error {
	dir, all, err := cachedMatrices()
	if err != nil {
		return err
	}
	w, bad := cmd.OutOrStdout(), 0

	for _, e := range all {
		wrong := dir.Verify(cmd.Context(), e)
		if err := cmd.Context().Err(); err != nil {
			return err // Verify was interrupted, and wrong says nothing about the entry.
		}
		if wrong == nil {
			continue
		}
		bad++
		if err := dir.Remove(e); err != nil {
			return fmt.Errorf("removing a damaged matrix (%w): %w", wrong, err)
		}
		fmt.Fprintf(w, "removed: %v\n", wrong)
	}

	fmt.Fprintf(w, "%s right, %d damaged\n", term.Matrices(len(all)-bad), bad)
	return nil
}

// cachedMatrices opens the user's cache.
func cachedMatrices() (*cache.Dir, []cache.Info, error) {
	dir, err := cache.Default()
	if err != nil {
		return nil, nil, err
	}
	all, err := dir.List()
	if err != nil {
		return nil, nil, fmt.Errorf("listing the cache: %w", err)
	}
	return dir, all, nil
}

func total(all []cache.Info) int64 {
	return lists.Sum(all, func(e cache.Info) int64 { return e.Size })
}

// ofLimit says how large the cache may become.
func ofLimit() string {
	limit, err := cache.Limit()
	switch {
	case err != nil:
		return " (" + err.Error() + ")"
	case limit == math.MaxInt64:
		return " (no limit)"
	}
	return " of at most " + term.Bytes(limit)
}

// ExamineCache says where the cache is and how large.
func ExamineCache() string {
	dir, all, err := cachedMatrices()
	switch {
	case err != nil:
		return "none: " + err.Error()
	case dir == nil:
		return "off (" + cache.Env + ")"
	default:
		return fmt.Sprintf("%s, %s%s in %s", term.Matrices(len(all)), term.Bytes(total(all)), ofLimit(), dir.Path())
	}
}

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
until the others fit a size, or all of them, and damaged ones. They are read or generated again
when they are needed; runs on this machine are not disturbed. With --downloads it removes
archives of the SuiteSparse collection instead, and what is left of interrupted downloads.`,
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
	limits, err := cache.NoLimits, error(nil)
	switch given := c.unused != "" || c.size != ""; {
	case c.all && given:
		return limits, errors.New("--all removes everything: leave out --unused and --size")
	case c.all:
		return cache.Limits{}, nil // no entry has a size of 0
	case !given:
		return limits, errors.New("name what to remove: --unused 30d, --size 20GB or --all")
	}
	if c.unused != "" {
		limits.Unused, err = parseAge(c.unused)
	}
	if c.size != "" && err == nil {
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
	bytes := lists.Sum(list, func(d fetch.Download) int64 { return d.Bytes })
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
