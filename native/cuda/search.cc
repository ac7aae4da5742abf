#include "cuda/search.h"

#include <algorithm>
#include <filesystem>

#include "core/environment.h"
#include "core/shared_object.h"

namespace collbench::cuda {
namespace {

namespace fs = std::filesystem;

// first version named libnvrtc.so.N; all of CUDA 11 has libnvrtc.so.11.2
constexpr int kOldestPlainNvrtc = 12;
constexpr std::size_t kShownPlaces = 2;

/// Returns the subfolders whose names begin with `prefix`, the newest first: a longer name before a shorter
/// one, then by name. So python3.12 is before python3.9.
std::vector<fs::path> folders_named(const fs::path& folder, const std::string& prefix) {
  std::vector<fs::path> found;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    std::error_code unreadable;
    if (entry->path().filename().string().starts_with(prefix) && entry->is_directory(unreadable))
      found.push_back(entry->path());
  }
  std::sort(found.begin(), found.end(), [](const fs::path& a, const fs::path& b) {
    const auto x = a.filename().string(), y = b.filename().string();
    return x.size() != y.size() ? x.size() > y.size() : x > y;
  });
  return found;
}

/// Returns the installation folders whose packages a python3 at `program` may import. The python3 of a
/// virtual environment is a link. So the folders of all links from `program` to the real file count, in this
/// order. For a shim of pyenv, all its Python versions count too.
std::vector<fs::path> prefixes_of(fs::path program) {
  constexpr int kMaxLinks = 16;
  std::vector<fs::path> prefixes;
  for (int link = 0; link < kMaxLinks; ++link) {
    const fs::path bin = program.parent_path();
    prefixes.push_back(bin.parent_path());
    if (bin.filename() == "shims")  // pyenv: a script that selects one of these
      for (const auto& version : folders_named(bin.parent_path() / "versions", ""))
        prefixes.push_back(version);
    std::error_code failed;
    const fs::path target = fs::read_symlink(program, failed);
    if (failed) break;
    program = (target.is_absolute() ? target : bin / target).lexically_normal();
  }
  return prefixes;
}

std::vector<fs::path> python_prefixes() {
  std::vector<fs::path> prefixes;
  const auto add = [&](const fs::path& prefix) {
    if (std::find(prefixes.begin(), prefixes.end(), prefix) == prefixes.end()) prefixes.push_back(prefix);
  };
  if (const auto environment = environment_value("VIRTUAL_ENV"); !environment.empty()) add(environment);
  for (const fs::path& folder : folders_in("PATH"))
    if (is_file(folder / "python3"))
      for (const auto& prefix : prefixes_of(folder / "python3")) add(prefix);
  if (const auto home = environment_value("HOME"); !home.empty()) add(fs::path(home) / ".local");
  return prefixes;
}

}  // namespace

void add_python_folders(SearchFolders& folders, const std::vector<std::string>& packages) {
  for (const auto& prefix : python_prefixes())
    for (const char* lib : {"lib", "lib64", "local/lib"})
      for (const auto& python : folders_named(prefix / lib, "python3"))
        for (const char* kind : {"site-packages", "dist-packages"})
          for (const auto& package : packages) {
            std::string name = package.substr(0, package.rfind("/lib"));
            std::replace(name.begin(), name.end(), '/', '.');
            folders.push_back({python / kind / package, "Python package " + name + " of " + prefix.string()});
          }
}

void add_library_folders(SearchFolders& folders, const char* name) {
  if (const auto root = environment_value(name); !root.empty())
    for (const char* lib : {"lib", "lib64"}) folders.push_back({fs::path(root) / lib, name});
}

void add_loader_folders(SearchFolders& folders) {
  for (const auto& folder : folders_in("LD_LIBRARY_PATH")) folders.push_back({folder, "LD_LIBRARY_PATH"});
}

void add_cuda_folders(SearchFolders& folders) {
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) add_library_folders(folders, name);
  folders.push_back({"/usr/local/cuda/lib64", "CUDA folder"});
  for (const auto& folder : folders_named("/usr/local", "cuda-"))
    folders.push_back({folder / "lib64", "CUDA folder"});
}

bool find_in(const SearchFolders& folders, const std::string& file, LibrarySearch& found) {
  for (const auto& [folder, how] : folders) {
    if (is_file(folder / file)) {
      found.path = (folder / file).string();
      found.how = how;
      return true;
    }
    if (std::find(found.tried.begin(), found.tried.end(), folder.string()) == found.tried.end())
      found.tried.push_back(folder.string());
  }
  return false;
}

LibrarySearch find_at(const fs::path& wanted, const std::string& option, const std::string& file) {
  LibrarySearch found;
  if (is_file(wanted)) {
    found.path = wanted.string();
    found.how = option;
  } else {
    find_in({{wanted, option}, {wanted / "lib", option}, {wanted / "lib64", option}}, file, found);
  }
  return found;
}

bool find_by_loader(const std::string& file, LibrarySearch& found) {
  std::string why;
  void* handle = open_shared(file, why);
  if (handle == nullptr && why.starts_with(file + ": cannot open shared object file")) {
    found.tried.push_back("the loader's search for " + file);
    return false;
  }
  found.path = handle != nullptr ? file_of(handle) : file;
  found.how = "loader";
  return true;
}

std::string describe_folders(const LibrarySearch& found) {
  std::string text;
  const std::size_t shown = found.tried.size() > kShownPlaces + 1 ? kShownPlaces : found.tried.size();
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : ", ") + found.tried[i];
  if (shown < found.tried.size())
    text += " and " + std::to_string(found.tried.size() - shown) + " more places";
  return text;
}

LibrarySearch find_nvrtc(int cuda_major) {
  LibrarySearch found;
  SearchFolders folders;
  add_loader_folders(folders);
  add_cuda_folders(folders);
  std::vector<std::string> files, packages;
  for (int major = cuda_major; major >= kOldestPlainNvrtc; --major) {
    files.push_back("libnvrtc.so." + std::to_string(major));
    packages.push_back("nvidia/cu" + std::to_string(major) + "/lib");
  }
  files.push_back("libnvrtc.so.11.2");
  packages.push_back("nvidia/cuda_nvrtc/lib");  // package name up to CUDA 12
  add_python_folders(folders, packages);
  for (const auto& file : files)
    if (find_in(folders, file, found) || find_by_loader(file, found)) break;
  return found;
}

}  // namespace collbench::cuda
