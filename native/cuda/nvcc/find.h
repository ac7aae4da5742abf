#pragma once
// Where the node has nvcc, and the headers of a vendor library.
#include <filesystem>
#include <string>
#include <vector>

namespace collbench::cuda {

struct NvccLook {
  std::string nvcc;  // path of the program; "" = none
  std::string
      why_not;  // sentences that name each missing piece and where it comes from, each with a blank behind
};

/// nvcc: $CUDA_HOME/bin, $CUDA_PATH/bin, PATH, /usr/local/cuda/bin, the CUDA packages beside a Python package
/// whose library this is; and its host compiler. Runs nothing. @param beside "the NCCL library": for the
/// sentence
NvccLook find_nvcc(const std::filesystem::path& library, const std::string& beside);

/// Adds a folder that is not there yet.
void add_folder(std::vector<std::filesystem::path>& folders, const std::filesystem::path& folder);
/// `below` of the folder that an environment variable names.
void add_folder_below(std::vector<std::filesystem::path>& folders, const char* variable, const char* below);
/// Follows links.
bool is_file(const std::filesystem::path& path);
std::string listed(const std::vector<std::filesystem::path>& folders);

}  // namespace collbench::cuda
