package cli

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"spmvtune": func() {
			if gpus := os.Getenv(fakeGPUs); gpus != "" {
				os.Exit(fakeCUDA(gpus, os.Args[1:]))
			}
			os.Exit(Main(os.Args[1:]))
		},
	})
}

// Whole commands, as users type them.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script"})
}
