package cluster_test

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"spmvtune/internal/cli"
	"spmvtune/sparse/cache"
)

func TestMain(m *testing.M) {
	if os.Getenv(cache.Env) == "" {
		os.Setenv(cache.Env, "off") // tests leave the user's cache alone
	}
	testscript.Main(m, map[string]func(){
		"spmvtune": func() {
			if gpus := os.Getenv(fakeGPUs); gpus != "" {
				os.Exit(fakeCUDA(gpus, os.Args[1:]))
			}
			os.Exit(cli.Main(os.Args[1:]))
		},
	})
}
