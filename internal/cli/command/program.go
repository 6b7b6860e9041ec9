package command

import "runtime/debug"

// version is set by the Makefile from git; a plain `go build` or `go run` has
// what the toolchain stamped, if anything.
var stamped = ""

// programVersion names this build.
func Version() string {
	if stamped != "" {
		return stamped
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 {
				return "devel " + s.Value[:12]
			}
		}
		if v := info.Main.Version; v != "" && v != "(devel)" {
			return v
		}
	}
	return "devel"
}
