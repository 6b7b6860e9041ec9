#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: internal/release/move.sh PATH: gives the module another path, such as github.com/you/spmvtune.
set -eu
cd "$(dirname "$0")/../.."
old=$(sed -n 's/^module //p' go.mod)
sed -i "s|^module .*|module $1|" go.mod
git ls-files '*.go' | xargs sed -i "s|\"$old/|\"$1/|"
