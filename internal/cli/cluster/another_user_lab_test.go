package cluster_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"spmvtune/internal/testing/slurmlab"
	"spmvtune/slurm/status"
)

// Of a run that somebody else has sent, a second user cancels nothing and sends nothing again, whether Slurm shows
// the jobs or not, and is told whose they are.
func TestRunOfAnotherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can be a second user")
	}
	for name, c := range map[string]struct{ config, cancel, retry string }{
		"seen":   {"PrivateData=none", "could not be cancelled", "nothing to do yet"},
		"hidden": {"PrivateData=jobs", "you don't see the jobs of others", "nothing to do yet"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newCluster(t, slurmlab.Options{Config: []string{c.config}})
			gate := filepath.Join(l.Dir, "gate")
			run := l.submit(l.sweep(`setup = ["while ! [ -e ` + gate + ` ]; do sleep 0.1; done"]`))
			l.wait(run, "a task", func(s status.Status) bool { return s.Counts.Running > 0 })
			if out, err := exec.Command("chmod", "-R", "a+rwX", run, l.Dir).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			as := func(args ...string) string {
				cmd := l.Command(filepath.Join(run, "bin", "spmvtune"), append(args, run)...)
				cmd.Env = append(cmd.Env, "SPMVTUNE_CACHE="+l.Dir, "HOME="+l.Dir)
				cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
				out, _ := cmd.CombinedOutput()
				return strings.Join(strings.Fields(string(out)), " ")
			}
			if out := as("cancel"); !strings.Contains(out, "sent by root") || !strings.Contains(out, c.cancel) {
				t.Errorf("cancel says: %s", out)
			}
			if out := as("retry"); !strings.Contains(out, c.retry) {
				t.Errorf("retry says: %s", out)
			}
			slurmlab.Must(t, os.WriteFile(gate, nil, 0o666))
			if s := l.wait(run, "the end", over); s.Counts.Done != s.Counts.All {
				t.Errorf("at the end: %+v", s)
			}
		})
	}
}
