package command

import "runtime/debug"

// stamped is the version that the Makefile takes from git. It is empty in a plain go build.
var stamped = ""

// Version names this build.
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
