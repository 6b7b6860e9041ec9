package cluster_test

import (
	"fmt"
	"os"
	"testing"

	"spmvtune/internal/cli"
	"spmvtune/internal/testing/clitest"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(faultRetry); dir != "" {
		if err := retryAlone(dir); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	clitest.Main(m, cli.Main)
}
