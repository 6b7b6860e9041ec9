// SPDX-License-Identifier: Apache-2.0

// Command spmvtune tunes sparse matrix-vector products. See README.md.
package main

import (
	"os"

	"example.org/spmvtune/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:])) }
