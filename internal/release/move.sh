#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: internal/release/move.sh PATH: gives the module another path, such as github.com/you/spmvtune, everywhere.
set -eu
cd "$(dirname "$0")/../.."
old=$(sed -n 's/^module //p' go.mod)
git ls-files | grep -E '(\.go|\.txtar|\.md|^go\.mod)$' |
	xargs sed -i "s!\"$old/!\"$1/!g; s!module \(\`\{0,1\}\)$old\([^/a-z]\|\$\)!module \1$1\2!g"
gofmt -w $(git ls-files '*.go')
