# A recipe for Spack (1.0 or newer). In a repository of your own:
#
#   spack repo create ~/mine mine
#   cp -r internal/release/spack/spmvtune ~/mine/spack_repo/mine/packages/
#   spack repo add ~/mine/spack_repo/mine && spack install spmvtune +cuda
#
# SPDX-License-Identifier: Apache-2.0
from spack_repo.builtin.build_systems.makefile import MakefilePackage

from spack.package import *


class Spmvtune(MakefilePackage):
    """Finds the fastest kernel, block and grid for a sparse matrix-vector product, on GPUs and processors."""

    # Where your site keeps the repository: Spack fetches a version by its tag.
    git = "file:///path/to/spmvtune.git"
    license("Apache-2.0")

    version("main", branch="main")
    version("0.1.0", tag="v0.1.0")

    variant("cuda", default=False, description="Kernels for NVIDIA GPUs")

    depends_on("c", type="build")
    depends_on("gmake", type="build")
    depends_on("go@1.26:", type="build")
    depends_on("cuda@11.8:", type="build", when="+cuda")

    def targets(self, *names):
        # Without CUDA_ROOT the Makefile would take a toolkit that it finds.
        cuda = self.spec["cuda"].prefix if self.spec.satisfies("+cuda") else ""
        return [*names, "RELEASE=1", f"CUDA_ROOT={cuda}"]

    def build(self, spec: Spec, prefix: Prefix) -> None:
        make(*self.targets("build", "lib"))

    def install(self, spec: Spec, prefix: Prefix) -> None:
        make(*self.targets("install"), f"PREFIX={prefix}")
