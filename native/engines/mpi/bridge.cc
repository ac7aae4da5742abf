#include "engines/mpi/bridge.h"

#include <dlfcn.h>

#include <array>

#include "core/error.h"
#include "core/shared_object.h"

namespace collbench::mpi {
namespace {

constexpr std::size_t kMaxText = 4096;

}  // namespace

void MpiBridge::require(int code, const char* doing) const {
  if (code == 0) return;
  std::array<char, kMaxText> text{};
  error(code, text.data(), text.size());
  throw Error(ErrorCode::kInternal, std::string("MPI, ") + doing + ": " + text.data());
}

std::string MpiBridge::library_version() const {
  std::array<char, kMaxText> text{};
  version(text.data(), text.size());
  return text.data();
}

std::string MpiBridge::variable(const char* name) const {
  std::array<char, kMaxText> text{};
  return setting(name, text.data(), text.size()) != 0 ? text.data() : "";
}

MpiBridge open_bridge(const std::string& path) {
  // RTLD_GLOBAL: components of an MPI may need the library's symbols.
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (handle == nullptr) {
    const char* why = dlerror();
    throw Error(ErrorCode::kUnavailable,
                "the MPI library cannot be loaded: " + std::string(why == nullptr ? "no reason given" : why));
  }
  MpiBridge bridge;
  bool complete = true;
#define COLLBENCH_BIND(result, name, arguments) \
  complete = bind(bridge.name, handle, "collbench_mpi_" #name) && complete;
  COLLBENCH_MPI_FUNCTIONS(COLLBENCH_BIND)
#undef COLLBENCH_BIND
  if (!complete) throw Error(ErrorCode::kInternal, path + " lacks a function; remove it and start again");
  return bridge;
}

}  // namespace collbench::mpi
