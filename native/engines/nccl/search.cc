#include "engines/nccl/search.h"

namespace collbench::nccl {

cuda::LibrarySearch find_nccl(const std::string& wanted) {
  constexpr const char* kNccl = "libnccl.so.2";
  cuda::LibrarySearch found;
  cuda::SearchFolders folders;
  if (!wanted.empty()) {
    std::error_code failed;
    if (std::filesystem::is_regular_file(wanted, failed)) {
      found.path = wanted;
      found.how = "--nccl";
      return found;
    }
    const std::filesystem::path folder = wanted;
    for (const auto& place : {folder, folder / "lib", folder / "lib64"}) folders.push_back({place, "--nccl"});
    cuda::find_in(folders, kNccl, found);
    return found;
  }
  cuda::add_library_folders(folders, "NCCL_HOME");
  cuda::add_loader_folders(folders);
  cuda::add_python_folders(folders, {"nvidia/nccl/lib"});
  cuda::add_cuda_folders(folders);
  if (!cuda::find_in(folders, kNccl, found)) cuda::find_by_loader(kNccl, found);
  return found;
}

}  // namespace collbench::nccl
