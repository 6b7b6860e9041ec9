# A recipe for Spack. In a repository of your own:
#
#   spack repo create mine && cp -r internal/release/spack/spmvtune mine/packages/
#   spack repo add mine && spack install spmvtune +cuda
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
    depends_on("go@1.26:", type="build")
    depends_on("cuda@11.8:", type="build", when="+cuda")

    def setup_build_environment(self, env):
        if self.spec.satisfies("+cuda"):
            env.set("CUDA_HOME", self.spec["cuda"].prefix)

    def build(self, spec, prefix):
        make("build", "RELEASE=1")

    def install(self, spec, prefix):
        make("install", "RELEASE=1", f"PREFIX={prefix}")
