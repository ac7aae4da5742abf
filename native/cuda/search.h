#pragma once
// Where vendor libraries lie: no build step and no fixed place on a node.
#include <filesystem>
#include <string>
#include <vector>

namespace collbench::cuda {

/// Folders to look into, in order, and what led there.
struct Place {
  std::filesystem::path folder;
  std::string how;
};
using Places = std::vector<Place>;

struct Found {
  std::string path;  // "" = none
  std::string how;   // "--nccl", "LD_LIBRARY_PATH", "Python package nvidia.nccl of /opt/venv", "loader"
  std::vector<std::string> tried;  // places looked at, for the sentence when nothing was found
};

/// lib and lib64 of the folder that an environment variable names.
void add_below(Places& places, const char* variable);
/// LD_LIBRARY_PATH.
void add_loader_path(Places& places);
/// Of $VIRTUAL_ENV, of every python3 on PATH with links followed, of ~/.local.
/// @param packages folders below site-packages: "nvidia/nccl/lib"
void add_python(Places& places, const std::vector<std::string>& packages);
/// CUDA_HOME, CUDA_PATH, /usr/local/cuda*.
void add_cuda(Places& places);

/// False when no place has the file; all of them are then in found.tried.
bool find_in(const Places& places, const std::string& file, Found& found);
/// The loader's own search (dlopen of the bare name). A library that is there but does not load counts as
/// found: opening it says what is wrong.
bool find_by_loader(const std::string& file, Found& found);

/// "/usr/local/cuda/lib64, /opt/venv/... and 7 more places": the tried places of a search that found nothing.
std::string describe_places(const Found& found);

/// libnvrtc.so.{13,12,11.2}: LD_LIBRARY_PATH, CUDA folders, Python packages (nvidia/cu13/lib,
/// nvidia/cuda_nvrtc/lib), the loader. The one whose major version fits `cuda_major` (of the driver), newest
/// not above.
Found find_nvrtc(int cuda_major);

}  // namespace collbench::cuda
