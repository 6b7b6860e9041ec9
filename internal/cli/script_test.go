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
	params := testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv(cache.Env, filepath.Join(env.Cd, ".cache"))
			env.Setenv("LC_ALL", "C.UTF-8")
			env.Setenv("PROGRAMS", testkit.Must(filepath.Abs("../../kernels/custom/testdata")))
			env.Setenv(fetch.EnvServers, servers.URL)
			return nil
		},
		Condition: func(condition string) (bool, error) {
			if condition != "long" {
				return false, fmt.Errorf("unknown condition %q", condition)
			}
			return testkit.LongAsked(), nil
		},
	}
	if testkit.RaceDetector { // these run sweeps and fill the cache; the others are further words for the same code
		params.Dir, params.Files = "", []string{"testdata/script/cache.txtar", "testdata/script/failures.txtar",
			"testdata/script/retry.txtar", "testdata/script/terminal.txtar"}
	}
	testscript.Run(t, params)
}
