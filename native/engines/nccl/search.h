#pragma once
// Where vendor libraries lie: no build step and no fixed place on a node.
#include <string>
#include <vector>

namespace collbench::nccl {

struct Found {
  std::string path;  // "" = none
  std::string how;   // "--nccl", "LD_LIBRARY_PATH", "Python package nvidia.nccl of /opt/venv", "loader"
  std::vector<std::string> tried;  // places looked at, for the sentence when nothing was found
};

/// "/usr/local/cuda/lib64, /opt/venv/... and 7 more places": the tried places of a search that found nothing.
std::string describe_places(const Found& found);

/// libnccl.so.2: `wanted` (--nccl: a file, or a folder that has it, or its lib/), NCCL_HOME and
/// LD_LIBRARY_PATH, Python packages (site-packages/nvidia/nccl/lib of $VIRTUAL_ENV, of every python3 on PATH
/// with symlinks followed, and of
/// ~/.local), CUDA folders, then the loader's own search (dlopen of the bare name). A `wanted` that is not
/// there is not replaced by another: path stays empty.
Found find_nccl(const std::string& wanted);
/// libnvrtc.so.{13,12,11.2}: LD_LIBRARY_PATH, CUDA_HOME, /usr/local/cuda*/lib64, Python packages
/// (nvidia/cu13/lib, nvidia/cuda_nvrtc/lib), the loader. The one whose major version fits `cuda_major` (of
/// the driver), newest not above.
Found find_nvrtc(int cuda_major);

}  // namespace collbench::nccl
