#pragma once
// Search for vendor libraries, which have no fixed place on a node; no build step is needed.
#include <filesystem>
#include <string>
#include <vector>

namespace collbench::cuda {

/// Folders to search in order, each with its origin.
struct SearchFolder {
  std::filesystem::path folder;
  std::string how;
};
using SearchFolders = std::vector<SearchFolder>;

struct LibrarySearch {
  std::string path;  // path of the library; "" = not found
  /// origin: "--nccl", "LD_LIBRARY_PATH", "Python package nvidia.nccl of /opt/venv", "loader"
  std::string how;
  std::vector<std::string> tried;  // folders searched, for the message if nothing was found
};

/// Adds lib and lib64 of the folder in an environment variable.
void add_library_folders(SearchFolders& places, const char* variable);
/// Adds the folders of LD_LIBRARY_PATH.
void add_loader_folders(SearchFolders& places);
/// Adds folders of Python packages: of $VIRTUAL_ENV, of every python3 on PATH with links resolved, and of
/// ~/.local.
/// @param packages folders below site-packages: "nvidia/nccl/lib"
void add_python_folders(SearchFolders& places, const std::vector<std::string>& packages);
/// Adds the folders of CUDA_HOME, CUDA_PATH and /usr/local/cuda*.
void add_cuda_folders(SearchFolders& places);

/// Searches the folders for the file. False if none has it; found.tried then lists all of them.
bool find_in(const SearchFolders& places, const std::string& file, LibrarySearch& found);
/// Searches with the loader (dlopen of the bare name). A library that exists but does not load counts as
/// found: opening it reports the fault.
bool find_by_loader(const std::string& file, LibrarySearch& found);

/// Folders of an unsuccessful search, for a message: "/usr/local/cuda/lib64, /opt/venv/... and 7 more
/// places".
std::string describe_folders(const LibrarySearch& found);

/// Finds libnvrtc.so.{13,12,11.2}: in LD_LIBRARY_PATH, CUDA folders, Python packages (nvidia/cu13/lib,
/// nvidia/cuda_nvrtc/lib), then by the loader. Takes the newest one whose major version is at most
/// `cuda_major`, the driver's.
LibrarySearch find_nvrtc(int cuda_major);

}  // namespace collbench::cuda
