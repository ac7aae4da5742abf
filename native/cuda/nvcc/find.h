#pragma once
// Finds nvcc on the node, and headers of a vendor library.
#include <filesystem>
#include <string>
#include <vector>

namespace collbench::cuda {

struct NvccSearch {
  std::string nvcc;     // path of the program; "" = not found
  std::string why_not;  // sentences naming each missing piece and its source, each followed by a blank
};

/// Looks for nvcc in $CUDA_HOME/bin, $CUDA_PATH/bin, PATH, /usr/local/cuda/bin and the CUDA packages next to
/// the Python package that contains the file `library`. Also looks for nvcc's host compiler. Runs no program.
/// @param beside name of `library` for the error message: "the NCCL library"
NvccSearch find_nvcc(const std::filesystem::path& library, const std::string& beside);

/// Adds a folder to the list unless the list has it already.
void add_folder(std::vector<std::filesystem::path>& folders, const std::filesystem::path& folder);
/// Adds the subfolder `below` of the folder in environment variable `variable`; nothing if it is not set.
void add_folder_below(std::vector<std::filesystem::path>& folders, const char* variable, const char* below);

}  // namespace collbench::cuda
