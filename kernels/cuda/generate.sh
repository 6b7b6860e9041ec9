#!/bin/sh
# Compiles kernels to ptx/: all of them, as `go generate ./kernels/cuda` does, or
# the sources named.
#
# The same sources give the same bytes wherever this runs: PTX names its compiler
# but neither the time nor the folder, and another release of the compiler, which
# would write other PTX, is refused. compute_60 is the first to add float64
# atomically; a driver compiles its PTX for any later device.
set -eu
cd "$(dirname "$0")"
release=11.8

nvcc --version | grep -q "release $release," || {
	echo "error: nvcc is not release $release, which the committed PTX was made with" >&2
	exit 1
}
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
for source in "${@:-*.cu}"; do # unquoted below: the default is a pattern
	for file in $source; do
		nvcc -arch=compute_60 -ptx -O3 --std=c++17 -o "$fresh/${file%.cu}.ptx" "$file"
	done
done
mkdir -p ptx
if [ $# -eq 0 ]; then
	rm -f ptx/*.ptx # of sources that are gone
fi
mv "$fresh"/*.ptx ptx/
