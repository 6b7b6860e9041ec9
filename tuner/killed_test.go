package tuner

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"spmvtune/tuner/trial"
)

// A worker that is killed, and not by the system for its memory, is a fault. One that is
// killed after the run was asked to stop says nothing about its trial: who ends a
// job of a cluster kills all of its processes.
func TestWorkerKilledFromOutside(t *testing.T) {
	for name, asked := range map[string]bool{"alone": false, "with all of its job": true} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "alive")
			t.Setenv("SPMVTUNE_TEST_ALIVE", file)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() {
				for ctx.Err() == nil {
					if _, err := os.Stat(file); err == nil {
						if asked {
							cancel()
						}
						os.Remove(file)
						return
					}
					time.Sleep(time.Millisecond)
				}
			}()
			rec := &memory{}
			sum, err := Run(ctx, testSweep(diesOutside), rec, Options{Launch: testLauncher})
			if err != nil || sum.Interrupted != asked {
				t.Errorf("error %v, interrupted %v", err, sum.Interrupted)
			}
			switch {
			case asked && len(rec.results) > 0:
				t.Errorf("the trial is recorded as %s: %s", rec.results[0].Status, rec.results[0].Message)
			case !asked && (len(rec.results) != 1 || rec.results[0].Status != trial.Fault):
				t.Errorf("results %+v", rec.results)
			}
		})
	}
}
