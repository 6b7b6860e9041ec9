#!/bin/bash
# usage: internal/release/notices.sh PROGRAM... : prints the licences of all that is linked into the programs, by their
# own account: a line "== MODULE VERSION SPDX" and the texts. It fails where one is missing or not known.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

kind() { # of the texts on standard input, as an expression of SPDX
  local text found=()
  text=$(tr -s '[:space:]' ' ')
  has() { grep -qi -- "$1" <<<"$text"; }
  if has 'Apache License,\? Version 2.0'; then found+=(Apache-2.0); fi
  if has 'Permission is hereby granted, free of charge, to any person obtaining a copy of this software'; then found+=(MIT); fi
  if has 'Redistributions in binary form'; then
    if has 'Neither the name'; then found+=(BSD-3-Clause); else found+=(BSD-2-Clause); fi
  fi
  if has 'SIL OPEN FONT LICENSE Version 1.1'; then found+=(OFL-1.1); fi
  if has 'The FreeType Project LICENSE'; then found+=(FTL); fi
  if has 'Mozilla Public License,\? \(Version\|v.\) 2.0'; then found+=(MPL-2.0); fi
  if has 'Creative Commons Attribution 4.0 International'; then found+=(CC-BY-4.0); fi
  [ ${#found[@]} -gt 0 ] || return 1
  local all=${found[*]}
  echo "${all// / AND }"
}

notice() { # module, version, folder
  local files spdx
  files=$(find "$3" -maxdepth 1 -type f \( -iname 'licen[sc]e*' -o -iname 'copying*' -o -iname 'notice*' -o -iname 'patents*' \) \
    ! -name '*.go' | LC_ALL=C sort)
  case $1 in # what these hold of others
    gonum.org/v1/gonum) files+=$'\n'$(find "$3/THIRD_PARTY_LICENSES" -type f | LC_ALL=C sort) ;;
    github.com/golang/freetype) files+=$'\n'$3/licenses/ftl.txt ;;
  esac
  spdx=$(xargs cat <<<"$files" | kind) || { echo "notices: no licence that is known in $3" >&2; exit 1; }
  printf '== %s %s %s\n' "$1" "$2" "$spdx"
  while read -r file; do
    printf '\n-- %s\n\n' "${file#"$3/"}"
    cat "$file"
  done <<<"$files"
  echo
}

echo "This program is distributed under the Apache License 2.0. These are the licences of what is linked into it."
echo
notice std "$(go env GOVERSION)" "$(go env GOROOT)"
echo "== sqlite $(sed -n 's/.*SQLITE_VERSION  *"\(.*\)".*/\1/p' "$(go list -m -f '{{.Dir}}' github.com/mattn/go-sqlite3)/sqlite3-binding.h") blessing"
printf '\nSQLite is in the public domain: https://sqlite.org/copyright.html\n\n'
for program in "$@"; do go version -m "$program"; done | awk '$1 == "dep" { print $2, $3 }' | LC_ALL=C sort -u |
  while read -r module version; do
    notice "$module" "$version" "$(go list -m -f '{{.Dir}}' "$module")"
  done
