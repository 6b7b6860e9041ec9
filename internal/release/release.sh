#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds what is released, into dist/: an archive for each platform, laid out as `make install` does, a bill of
# materials beside it, and SHA256SUMS. The same commit, compiler and CUDA headers give the same bytes, wherever the
# clone lies.
#
#   make release                     linux/amd64, and linux/arm64 where its cross compiler is installed
#   make release PLATFORMS=amd64
#
# Debian's packages gcc-aarch64-linux-gnu and libc6-dev-arm64-cross compile for arm64.
set -euo pipefail
cd "$(dirname "$0")/../.."
umask 022

version=$(git describe --tags --always --dirty)
version=${version#v}
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) # apart from export, which would hide that git fails
export SOURCE_DATE_EPOCH
platforms=${PLATFORMS:-amd64 $(command -v aarch64-linux-gnu-gcc >/dev/null && echo arm64 || true)}
case $version in *-dirty) echo "release: uncommitted changes; the archives are named -dirty" >&2 ;; esac

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
rm -rf dist && mkdir dist

for arch in $platforms; do
  name=spmvtune-$version-linux-$arch
  case $arch in
    amd64) programs="spmvtune spmvtune-cuda" settings=() ;;
    arm64) programs=spmvtune settings=(CC=aarch64-linux-gnu-gcc CUDA_ROOT=) ;; # CUDA's libraries here are for amd64
    *) echo "release: platform $arch is none of amd64, arm64" >&2; exit 2 ;;
  esac
  GOARCH=$arch CGO_ENABLED=1 make --no-print-directory install RELEASE=1 PREFIX="/opt/spmvtune" \
    DESTDIR="$stage/$arch" BIN="$stage/bin-$arch" "${settings[@]}" >"$stage/log" 2>&1 ||
    { cat "$stage/log" >&2; exit 1; }
  mv "$stage/$arch/opt/spmvtune" "$stage/$name"
  for program in $programs; do
    [ -x "$stage/$name/bin/$program" ] ||
      { echo "release: no $program was built; are CUDA's headers here?" >&2; exit 1; }
  done
  # Of the larger program: the modules of the other one are among its.
  go run ./internal/release bill "$version" "$stage/$name/bin/${programs##* }" \
    <"$stage/$name/share/doc/spmvtune/NOTICES" >"dist/$name.cdx.json"
  tar --sort=name --mtime=@"$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=ustar \
    -C "$stage" -cf - "$name" | gzip -9 -n >"dist/$name.tar.gz"
done

(cd dist && sha256sum -- *.tar.gz *.json >SHA256SUMS && cat SHA256SUMS)
