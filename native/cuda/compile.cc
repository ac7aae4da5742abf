#include "cuda/compile.h"

#include <algorithm>
#include <string>

#include "core/error.h"

namespace collbench::cuda {
namespace {

/// Owns an NVRTC program object (nvrtcProgram).
class Program {
 public:
  Program(const NvrtcApi& nvrtc, const char* source) : nvrtc_(nvrtc) {
    if (nvrtc_.create(&program_, source, "collbench.cu", 0, nullptr, nullptr) != 0)
      throw Error(ErrorCode::kUnavailable, "NVRTC cannot make a program");
  }
  ~Program() { nvrtc_.destroy(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  std::vector<char> compile(int capability) {
    const std::string architecture = "--gpu-architecture=sm_" + std::to_string(capability);
    const char* options[] = {architecture.c_str(), "--std=c++17", "-default-device"};
    if (nvrtc_.compile(program_, 3, options) != 0)
      throw Error(ErrorCode::kUnavailable,
                  "NVRTC cannot compile our kernels for " + architecture + ": " + log());
    std::size_t bytes = 0;
    std::vector<char> image;
    if (nvrtc_.image_size(program_, &bytes) == 0) image.resize(bytes);
    if (image.empty() || nvrtc_.image(program_, image.data()) != 0)
      throw Error(ErrorCode::kUnavailable, "NVRTC gives no image of our kernels");
    return image;
  }

 private:
  std::string log() const {
    std::size_t bytes = 0;
    if (nvrtc_.log_size(program_, &bytes) != 0 || bytes == 0) return "no log";
    std::string text(bytes, '\0');
    nvrtc_.log(program_, text.data());
    return text.substr(0, std::min<std::size_t>(1000, text.find('\0')));
  }
  const NvrtcApi& nvrtc_;
  void* program_ = nullptr;
};

}  // namespace

std::vector<char> compile(const NvrtcApi& nvrtc, const char* source, int capability) {
  return Program(nvrtc, source).compile(capability);
}

}  // namespace collbench::cuda
