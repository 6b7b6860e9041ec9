// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"example.org/spmvtune/internal/testing/clitest"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/sparse/cache"
	"example.org/spmvtune/sparse/fetch"
)

func TestMain(m *testing.M) { clitest.Main(m, Main) }

// Whole commands, as users type them.
func TestScript(t *testing.T) {
	servers := httptest.NewServer(http.FileServer(http.Dir("testdata/collection")))
	t.Cleanup(servers.Close)
	programs := testkit.Must(filepath.Abs("../../kernels/custom/testdata"))
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv(cache.Env, filepath.Join(env.Cd, ".cache"))
			env.Setenv("LC_ALL", "C.UTF-8")
			env.Setenv("PROGRAMS", programs)
			env.Setenv(fetch.EnvServers, servers.URL)
			return nil
		},
		Condition: func(condition string) (bool, error) {
			switch condition {
			case "race":
				return testkit.RaceDetector, nil
			case "long":
				return testkit.LongAsked(), nil
			}
			return false, fmt.Errorf("unknown condition %q", condition)
		},
	})
}
