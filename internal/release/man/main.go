// Command man writes a manual page for each command of the program into a folder.
//
//	go run ./internal/release/man VERSION FOLDER
package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"spmvtune/internal/cli"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: man VERSION FOLDER")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "man:", err)
		os.Exit(1)
	}
}

// write writes the pages. Their date is that of SOURCE_DATE_EPOCH, or 1970 where it is not set: never today, so that a
// version has one text.
func write(version, folder string) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	seconds, _ := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	date := time.Unix(seconds, 0).UTC()
	root := cli.New()
	root.DisableAutoGenTag = true
	escape(root)
	return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Date: &date, Source: "spmvtune " + version,
		Manual: "spmvtune"}, folder)
}

// escape makes Markdown, from which pages are made, of the texts of commands, which are plain: a line that begins with
// a blank stays a line.
func escape(c *cobra.Command) {
	signs := strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "`", "\\`", "<", `\<`, "[", `\[`, "#", `\#`)
	var b strings.Builder
	code := false
	for line := range strings.Lines(c.Long) {
		indented := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
		if indented != code && strings.TrimSpace(line) != "" {
			b.WriteString("\n")
			code = indented
		}
		if indented {
			b.WriteString("    " + line)
		} else {
			signs.WriteString(&b, line)
		}
	}
	c.Long = b.String()
	for _, child := range c.Commands() {
		escape(child)
	}
}
