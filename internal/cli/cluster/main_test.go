package cluster_test

import (
	"os"
	"testing"

	"spmvtune/internal/cli"
	"spmvtune/internal/cli/clitest"
)

func TestMain(m *testing.M) {
	if gpus := os.Getenv(fakeGPUs); gpus != "" {
		os.Exit(fakeCUDA(gpus, os.Args[1:]))
	}
	clitest.Main(m, cli.Main)
}
