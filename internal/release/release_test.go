package release

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A release without the commit's date is none: the script ends where git fails.
func TestGitFails(t *testing.T) {
	script, err := os.ReadFile("release.sh")
	if err != nil {
		t.Fatal(err)
	}
	clone := t.TempDir()
	for name, text := range map[string]string{
		"internal/release/release.sh": string(script),
		"bin/git":                     "#!/bin/sh\ncase $1 in describe) echo v1 ;; *) exit 1 ;; esac\n",
	} {
		path := filepath.Join(clone, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("bash", filepath.Join(clone, "internal/release/release.sh"))
	cmd.Env = append(os.Environ(), "PLATFORMS=none", "PATH="+filepath.Join(clone, "bin")+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 1 || strings.Contains(string(out), "platform") {
		t.Errorf("it goes on: %v, %s", err, out)
	}
}
