# Recipe for Spack: put it into packages/collbench of a repository of yours (spack repo create), and the tarball of
# `npm run release` beside the place where you call spack. The checksum is in SHA256SUMS of the release:
#   spack checksum --add-to-package collbench && spack install collbench
import os

from spack.package import *


class Collbench(Package):
    """Benchmark for GPU and CPU collective communication."""

    manual_download = True
    url = f"file://{os.getcwd()}/collbench-0.1.0.tgz"

    license("MIT")

    version("0.1.0", expand=False)

    depends_on("node-js@20.19:", type=("build", "run"))
    depends_on("npm", type="build")
    # The native code is built at installation, so that the command starts on nodes without a compiler.
    depends_on("cxx", type="build")
    depends_on("cmake", type="build")
    depends_on("gmake", type="build")

    def install(self, spec, prefix):
        npm = which("npm", required=True)
        npm("install", "--global", "--omit=optional", "--prefix", prefix, self.stage.archive_file)
        collbench = Executable(join_path(prefix.bin, "collbench"))
        collbench("transports")
