#include "engines/nccl/double/tests/library.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace double_test {
namespace {

void* open(const char* path) {
  void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) return handle;
  std::fprintf(stderr, "%s\n", dlerror());
  std::abort();
}

/// The doubles have no kernels to run on a device communicator.
bool is_device_api(const char* symbol) { return std::strncmp(symbol, "ncclDevComm", 11) == 0; }

template <typename Function>
void bind(Function& target, void* handle, const char* symbol) {
  void* found = dlsym(handle, symbol);
  if (found == nullptr && is_device_api(symbol)) return;
  if (found == nullptr) {
    std::fprintf(stderr, "no %s\n", symbol);
    std::abort();
  }
  std::memcpy(&target, &found, sizeof found);
}

Library open_all() {
  Library all;
  void* cuda = open(DOUBLE_CUDA);
  void* nccl = open(DOUBLE_NCCL);
  void* nvrtc = open(DOUBLE_NVRTC);
#define CUDA_FUNCTION(name, symbol, parameters) bind(all.cuda.name, cuda, symbol);
#include "engines/nccl/cuda_functions.def"
#undef CUDA_FUNCTION
#define NCCL_FUNCTION(name, symbol, since, parameters) bind(all.nccl.name, nccl, symbol);
#include "engines/nccl/nccl_functions.def"
#undef NCCL_FUNCTION
#define NVRTC_FUNCTION(name, symbol, parameters) bind(all.nvrtc.name, nvrtc, symbol);
#include "engines/nccl/nvrtc_functions.def"
#undef NVRTC_FUNCTION
  bind(all.nccl.error_string, nccl, "ncclGetErrorString");
  bind(all.nccl.last_error, nccl, "ncclGetLastError");
  bind(all.live, cuda, "cudaDoubleLive");
  if (all.cuda.init(0) != 0) std::abort();
  return all;
}

}  // namespace

const Library& library() {
  static const Library all = open_all();
  return all;
}

Variable::Variable(const char* name, const std::string& value) : name_(name) {
  setenv(name, value.c_str(), 1);
}
Variable::~Variable() { unsetenv(name_); }

}  // namespace double_test
