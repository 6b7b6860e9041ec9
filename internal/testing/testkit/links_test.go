// SPDX-License-Identifier: Apache-2.0

package testkit

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const root = "../../.."

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	dropped = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// Every link of a page leads to a file that is there, and to a heading of it.
func TestLinks(t *testing.T) {
	for _, page := range pages(t) {
		for _, match := range link.FindAllStringSubmatch(read(t, page), -1) {
			target, anchor, _ := strings.Cut(match[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			path := page
			if target != "" {
				path = filepath.Join(filepath.Dir(page), target)
			}
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s links to %s: %v", page, match[1], err)
			} else if anchor != "" && !hasAnchor(read(t, path), anchor) {
				t.Errorf("%s links to %s, which has no such heading", page, match[1])
			}
		}
	}
}

// The index leads to every page.
func TestIndex(t *testing.T) {
	index := read(t, filepath.Join(root, "docs", "README.md"))
	for _, page := range pages(t) {
		name := filepath.Base(page)
		if filepath.Base(filepath.Dir(page)) == "docs" && name != "README.md" && !strings.Contains(index, "]("+name+")") {
			t.Errorf("docs/README.md does not link to %s", name)
		}
	}
}

// The README is read in a minute or two.
func TestReadme(t *testing.T) {
	const most = 150
	if n := strings.Count(read(t, filepath.Join(root, "README.md")), "\n"); n > most {
		t.Errorf("README.md has %d lines; the rest of what it says belongs into docs", n)
	}
}

// pages are the Markdown files of the repository's root and of docs.
func pages(t *testing.T) (paths []string) {
	t.Helper()
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		found, err := fs.Glob(os.DirFS(root), pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("no page matches %s: %v", pattern, err)
		}
		for _, name := range found {
			paths = append(paths, filepath.Join(root, name))
		}
	}
	return paths
}

func read(t *testing.T, path string) string {
	t.Helper()
	text := Must(os.ReadFile(path))
	return string(text)
}

// hasAnchor says whether a heading of the page has the anchor that GitHub gives it.
func hasAnchor(page, anchor string) bool {
	for _, match := range heading.FindAllStringSubmatch(page, -1) {
		text := dropped.ReplaceAllString(strings.ToLower(match[1]), "")
		if strings.ReplaceAll(text, " ", "-") == anchor {
			return true
		}
	}
	return false
}
