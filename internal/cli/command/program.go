package command

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// The Makefile takes these from git. They are empty in a plain go build.
var (
	stamped          = "" // the version
	stampedCommit    = ""
	stampedCommitted = ""
)

// A Build says of which code a program is, and how it was built.
type Build struct {
	Version string `json:"version"`
	// Commit, Committed (its date) and Modified (whether other changes are in it) are absent outside of git.
	Commit    string `json:"commit,omitempty"`
	Committed string `json:"committed,omitempty"`
	Modified  bool   `json:"modified,omitempty"`
	Go        string `json:"go"`
	System    string `json:"system"`
	Tags      string `json:"tags"`
	// CUDA tells whether the program itself can use GPUs.
	CUDA bool `json:"cuda"`
}

// ThisBuild describes this program.
func ThisBuild() Build {
	b := Build{Version: stamped, Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		b.Version = cmp.Or(b.Version, "devel")
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Committed = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		case "-tags":
			b.Tags = s.Value
		}
	}
	for tag := range strings.SplitSeq(b.Tags, ",") {
		b.CUDA = b.CUDA || tag == "cuda"
	}

	switch {
	case b.Version != "":
	case len(b.Commit) >= 12:
		b.Version = "devel " + b.Commit[:12]
	case info.Main.Version != "(devel)":
		b.Version = info.Main.Version
	}
	b.Version = cmp.Or(b.Version, "devel")
	b.Commit, b.Committed = cmp.Or(b.Commit, stampedCommit), cmp.Or(b.Committed, stampedCommitted)
	return b
}

// String says all of it in a line, which databases keep: 0.1.0 (1c9a10ce0f3b, go1.26.8, linux/amd64, cuda).
func (b Build) String() string {
	parts := []string{b.Go, b.System}
	if b.Tags != "" {
		parts = append(parts, b.Tags)
	}
	if len(b.Commit) >= 12 && !strings.Contains(b.Version, b.Commit[:8]) {
		parts = append([]string{b.Commit[:12]}, parts...)
	}
	return fmt.Sprintf("%s (%s)", b.Version, strings.Join(parts, ", "))
}

// Version names this build.
func Version() string { return ThisBuild().Version }
