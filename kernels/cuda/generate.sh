#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles kernels to ptx/: all of them, as `go generate ./kernels/cuda` does, or
# the sources named.
#
# compute_60 is the first to add float64 atomically; a driver compiles its PTX for any
# later device. A source that has more for newer devices, or needs one, lists the
# architectures in a line of its own: "// compute: 60 80". The best that a device takes
# is loaded.
#
# The same sources give the same PTX wherever this runs: it names its compiler but
# neither the time nor the folder, and another release of the compiler, which would
# write other PTX, is refused. A file is written only if its PTX is new, because
# another gzip might compress it in another way.
set -eu
cd "$(dirname "$0")"
release=11.8

nvcc --version | grep -q "release $release," || {
	echo "error: nvcc is not release $release, which the committed PTX was made with" >&2
	exit 1
}
# The entries of csr_thread_row with launch bounds are copies of those without (csr_rows.cu).
bounded() {
	awk '
		/^\.visible \.entry csr_thread_row(_shared)?_f(32|64)\(/ { copying = 1; entry = "" }
		{ print }
		copying { entry = entry $0 "\n" }
		copying && /^}/ {
			copying = 0
			for (n = 1; n <= 3; n++) {
				copy = entry
				gsub(/csr_thread_row/, "csr_thread_row_min" n, copy)
				sub(/\.maxntid [0-9]+,/, ".minnctapersm " n "\n.maxntid 256,", copy)
				printf "\n%s", copy
			}
		}'
}

# The compiler places a few instructions differently by where its memory lies, and that depends on
# random addresses, on the environment and on the folder's name: so all of them are fixed.
fixed=
if setarch -R true 2>/dev/null; then fixed="setarch -R"; fi
fresh=$(TMPDIR=/tmp mktemp -d)
trap 'rm -rf "$fresh"' EXIT
mkdir "$fresh/source" "$fresh/keep"
cp -- *.cu *.cuh "$fresh/source"
nvcc=$(command -v nvcc)
compile() { # TARGET FILE
	(cd "$fresh/source" && $fixed env -i PATH=/usr/bin:/bin TMPDIR="$fresh/keep" "$nvcc" -arch="compute_$1" -ptx -O3 \
		--std=c++17 -o compiled "$2")
}
for source in "${@:-*.cu}"; do # unquoted below: the default is a pattern
	for file in $source; do
		targets=$(sed -n 's|^// compute: ||p' "$file")
		for target in ${targets:-60}; do
			variant=${file%.cu}
			[ "$target" = 60 ] || variant=$variant.sm$target
			compile "$target" "$file"
			bounded <"$fresh/source/compiled" >"$fresh/$variant.ptx"
		done
		for old in "ptx/${file%.cu}".ptx.gz "ptx/${file%.cu}".sm*.ptx.gz; do # targets that are gone
			name=$(basename "$old" .gz)
			[ -e "$fresh/$name" ] || rm -f "$old"
		done
	done
done
mkdir -p ptx
if [ $# -eq 0 ]; then
	for old in ptx/*; do # of sources that are gone
		[ -e "$fresh/$(basename "$old" .gz)" ] || rm -f "$old"
	done
fi
for new in "$fresh"/*.ptx; do
	old=ptx/$(basename "$new").gz
	gzip -dc "$old" 2>/dev/null | cmp -s - "$new" || gzip -9nc "$new" >"$old"
done
