#pragma once
// Search for vendor libraries, which have no fixed place on a node; no build step is needed.
#include <filesystem>
#include <string>
#include <vector>

namespace collbench::cuda {

/// Folder in which a library is searched, and where the folder comes from (`how`: such as "LD_LIBRARY_PATH").
struct SearchFolder {
  std::filesystem::path folder;
  std::string how;
};
using SearchFolders = std::vector<SearchFolder>;

struct LibrarySearch {
  std::string path;  // path of the library; "" = not found
  /// Origin of the folder in which the library was found: "--nccl", "LD_LIBRARY_PATH", "Python package
  /// nvidia.nccl of /opt/venv", "loader".
  std::string how;
  std::vector<std::string> tried;  // folders searched, for the message if nothing was found
};

/// Adds the subfolders lib and lib64 of the folder that environment variable `variable` names; nothing if it
/// is not set.
void add_library_folders(SearchFolders& folders, const char* variable);
/// Adds the folders of LD_LIBRARY_PATH.
void add_loader_folders(SearchFolders& folders);
/// Adds folders of Python packages: of $VIRTUAL_ENV, of every python3 in PATH (links resolved), and of
/// ~/.local.
/// @param packages folders below site-packages or dist-packages: "nvidia/nccl/lib"
void add_python_folders(SearchFolders& folders, const std::vector<std::string>& packages);
/// Adds the folders of CUDA_HOME, CUDA_PATH and /usr/local/cuda*.
void add_cuda_folders(SearchFolders& folders);

/// Looks for the library `file` in the folders, in order, and sets `found`. Returns false if no folder has
/// it. Adds the searched folders without it to found.tried.
bool find_in(const SearchFolders& folders, const std::string& file, LibrarySearch& found);
/// Looks for the library `file` where the user says that it is.
/// @param wanted path of the library, or a folder with the library in it, in lib or in lib64
/// @param option option of the user, which becomes LibrarySearch::how: "--nccl"
LibrarySearch find_at(const std::filesystem::path& wanted, const std::string& option,
                      const std::string& file);
/// Looks for the library by dlopen of its name without folder and sets `found`; the library stays loaded.
/// Returns true also for a library that exists but cannot be loaded; opening it later reports the error.
bool find_by_loader(const std::string& file, LibrarySearch& found);

/// Returns the folders of a search that found nothing, as text: "/usr/local/cuda/lib64, /opt/venv/... and 7
/// more places".
std::string describe_folders(const LibrarySearch& found);

/// Looks for the newest libnvrtc whose major version is at most `cuda_major`, the driver's, then for older
/// ones (the oldest is libnvrtc.so.11.2). For each it searches LD_LIBRARY_PATH, CUDA folders, Python packages
/// (nvidia/cu13/lib, nvidia/cuda_nvrtc/lib), then the loader.
LibrarySearch find_nvrtc(int cuda_major);

}  // namespace collbench::cuda
