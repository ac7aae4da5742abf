#include "engines/nccl/search.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "core/mapped_file.h"

namespace collbench::nccl {
namespace {

constexpr std::string_view kVersionMark = "NCCL version ", kCudaMark = "+cuda";
constexpr std::size_t kLongestVersion = 64;

std::optional<int> leading_number(std::string_view text) {
  int value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || end == text.data()) return std::nullopt;
  return value;
}

/// Returns the position of `mark` in `text`; npos if it is not there. Uses memmem, because libraries have 200
/// MB and string_view::find is slow.
std::size_t find_fast(std::string_view text, std::string_view mark) {
  if (text.empty()) return std::string_view::npos;
  const void* found = memmem(text.data(), text.size(), mark.data(), mark.size());
  return found != nullptr ? static_cast<std::size_t>(static_cast<const char*>(found) - text.data())
                          : std::string_view::npos;
}

std::optional<int> in_file(const std::string& path) {
  const MappedFile file(path);
  std::string_view rest = file.text();
  for (auto at = find_fast(rest, kVersionMark); at != std::string_view::npos;
       at = find_fast(rest, kVersionMark)) {
    rest.remove_prefix(at + kVersionMark.size());
    const std::string_view version(rest.data(), strnlen(rest.data(), std::min(rest.size(), kLongestVersion)));
    if (const auto cuda = version.find(kCudaMark); cuda != std::string_view::npos)
      if (const auto major = leading_number(version.substr(cuda + kCudaMark.size()))) return major;
  }
  return std::nullopt;
}

std::optional<int> in_path(std::string_view path) {
  for (const std::string_view mark : {"nvidia/cu", "nccl-cu", "nccl_cu", "/cuda-"})
    if (const auto at = path.find(mark); at != std::string_view::npos)
      if (const auto major = leading_number(path.substr(at + mark.size()))) return major;
  return std::nullopt;
}

}  // namespace

cuda::LibrarySearch find_nccl(const std::string& wanted) {
  constexpr const char* kNccl = "libnccl.so.2";
  if (!wanted.empty()) return cuda::find_at(wanted, "--nccl", kNccl);
  cuda::LibrarySearch found;
  cuda::SearchFolders folders;
  cuda::add_library_folders(folders, "NCCL_HOME");
  cuda::add_loader_folders(folders);
  cuda::add_python_folders(folders, {"nvidia/nccl/lib"});
  cuda::add_cuda_folders(folders);
  if (!cuda::find_in(folders, kNccl, found)) cuda::find_by_loader(kNccl, found);
  return found;
}

std::optional<int> cuda_major_of(const std::string& library_path) {
  const auto said = in_file(library_path);
  return said ? said : in_path(library_path);
}

}  // namespace collbench::nccl
