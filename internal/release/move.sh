#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: internal/release/move.sh PATH: gives the module another path, such as github.com/you/spmvtune, everywhere.
set -eu
cd "$(dirname "$0")/../.."
old=$(sed -n 's/^module //p' go.mod)
git grep -lIF "$old" | xargs sed -i "s!\<$(echo "$old" | sed 's/\./\\./g')\>!$1!g"
gofmt -w $(git ls-files '*.go')
