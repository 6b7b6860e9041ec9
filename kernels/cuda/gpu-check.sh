#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs all tests that need a GPU, on a machine with one and without Go: the
# binaries lie beside this script (`make gpu-tests` puts all of them in bin/).
#
#   gpu-check [-shared FOLDER] [correct|faults|sanitize]...
#
# FOLDER holds .mtx.gz files. Without a step, all are run; sanitize is left out
# where compute-sanitizer is not found.
set -u
here=$(cd "$(dirname "$0")" && pwd)
shared=
if [ "${1-}" = -shared ]; then
	shared=$(cd "$2" && pwd) || exit 2
	shift 2
fi
if [ ! -x "$here/cuda.test" ]; then
	echo "gpu-check: there is no $here/cuda.test: \`make gpu-tests\` builds it" >&2
	exit 2
fi
if ! said=$("$here/cuda.test" -test.run '^TestGPUThere$' 2>&1); then
	echo "gpu-check: no GPU can be used" >&2
	printf '%s\n' "$said" | sed -n 's/^.*_test.go:[0-9]*: /  /p' >&2
	exit 2
fi
# Tests that look for ../shared start in their package's folder.
if [ -d "$here/../kernels/cuda" ]; then cd "$here/../kernels/cuda" || exit 2; fi

failures=0
run() {
	printf '\n== %s\n' "$*"
	"$@" || { failures=$((failures + 1)); printf '== failed: %s\n' "$*"; }
}
check() { run "$here/cuda.test" -test.timeout 60m "$@"; }

for step in "${@:-all}"; do
	case $step in correct | all) check -test.v -test.run 'TestGPU(Corners|Generated|Deterministic|Shared)' ${shared:+-shared "$shared"} ;; esac
	case $step in faults | all) check -test.v -test.run 'TestGPU(Faults|Backend)' ;; esac
	case $step in
	sanitize | all)
		if command -v compute-sanitizer >/dev/null; then
			for tool in memcheck synccheck racecheck; do
				few=
				if [ $tool = racecheck ]; then few=-races; fi
				for kernels in '^coo' '^csr_[a-l]' '^(csr_[m-z]|panel|sell)'; do
					run compute-sanitizer --tool "$tool" --error-exitcode 9 \
						"$here/cuda.test" -test.timeout 60m -test.run TestGPUCorners -quick $few -kernels "$kernels"
				done
			done
		elif [ "$step" = sanitize ]; then
			echo "compute-sanitizer is not found" >&2
			failures=$((failures + 1))
		fi
		;;
	esac
done
if [ $failures -gt 0 ]; then
	echo "$failures steps failed"
	exit 1
fi
echo "all steps passed"
