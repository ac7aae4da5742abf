// libnvrtc-fake.so: takes a source that has the known kernels and gives an image that names them.
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string>

#include "cuda/fake/image.h"

#define FAKE_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

enum Result : int {
  kSuccess = 0,
  kInvalidInput = 3,
  kInvalidProgram = 4,
  kInvalidOption = 5,
  kCompilation = 6,
};

struct Program {
  std::string source;
  std::string image, log;
  bool compiled = false;
};

std::mutex mutex;
std::set<Program*> programs;

Program* find(void* handle) {
  const std::lock_guard lock(mutex);
  const auto at = programs.find(static_cast<Program*>(handle));
  return at == programs.end() ? nullptr : *at;
}

bool is_set(const char* variable) {
  const char* text = std::getenv(variable);
  return text != nullptr && std::strcmp(text, "1") == 0;
}

int compile(Program& program) {
  using namespace collbench::cuda_fake;
  program.image = kImageTag;
  program.log.clear();
  if (is_set("NVRTC_FAKE_FAIL")) program.log = "fake: error: NVRTC_FAKE_FAIL is set\n";
  for (const char* name : kKernelNames) {
    if (program.source.find(name) == std::string::npos)
      program.log += std::string("fake: error: the source lacks ") + name + "\n";
    program.image += std::string(name) + "\n";
  }
  program.compiled = program.log.empty();
  return program.compiled ? kSuccess : kCompilation;
}

}  // namespace

FAKE_EXPORT int nvrtcVersion(int* major, int* minor) {
  if (major == nullptr || minor == nullptr) return kInvalidInput;
  *major = 13;
  *minor = 0;
  return kSuccess;
}

FAKE_EXPORT const char* nvrtcGetErrorString(int result) {
  switch (result) {
    case kSuccess:
      return "NVRTC_SUCCESS";
    case kInvalidInput:
      return "NVRTC_ERROR_INVALID_INPUT";
    case kInvalidProgram:
      return "NVRTC_ERROR_INVALID_PROGRAM";
    case kInvalidOption:
      return "NVRTC_ERROR_INVALID_OPTION";
    case kCompilation:
      return "NVRTC_ERROR_COMPILATION";
    default:
      return "NVRTC_ERROR unknown";
  }
}

FAKE_EXPORT int nvrtcCreateProgram(void** program, const char* source, const char* /*name*/, int headers,
                                   const char* const* texts, const char* const* names) {
  if (program == nullptr || source == nullptr || headers < 0) return kInvalidInput;
  if (headers > 0 && (texts == nullptr || names == nullptr)) return kInvalidInput;
  auto* made = new Program;
  made->source = source;
  for (int i = 0; i < headers; ++i) made->source += texts[i];
  const std::lock_guard lock(mutex);
  programs.insert(made);
  *program = made;
  return kSuccess;
}

FAKE_EXPORT int nvrtcCompileProgram(void* handle, int count, const char* const* options) {
  Program* program = find(handle);
  if (program == nullptr) return kInvalidProgram;
  if (count < 0 || (count > 0 && options == nullptr)) return kInvalidInput;
  for (int i = 0; i < count; ++i)
    if (options[i] == nullptr || options[i][0] != '-') return kInvalidOption;
  return compile(*program);
}

FAKE_EXPORT int nvrtcGetCUBINSize(void* handle, std::size_t* bytes) {
  const Program* program = find(handle);
  if (program == nullptr || !program->compiled) return kInvalidProgram;
  if (bytes == nullptr) return kInvalidInput;
  *bytes = program->image.size() + 1;
  return kSuccess;
}

FAKE_EXPORT int nvrtcGetCUBIN(void* handle, char* image) {
  const Program* program = find(handle);
  if (program == nullptr || !program->compiled) return kInvalidProgram;
  if (image == nullptr) return kInvalidInput;
  std::memcpy(image, program->image.c_str(), program->image.size() + 1);
  return kSuccess;
}

FAKE_EXPORT int nvrtcGetProgramLogSize(void* handle, std::size_t* bytes) {
  const Program* program = find(handle);
  if (program == nullptr) return kInvalidProgram;
  if (bytes == nullptr) return kInvalidInput;
  *bytes = program->log.size() + 1;
  return kSuccess;
}

FAKE_EXPORT int nvrtcGetProgramLog(void* handle, char* text) {
  const Program* program = find(handle);
  if (program == nullptr) return kInvalidProgram;
  if (text == nullptr) return kInvalidInput;
  std::memcpy(text, program->log.c_str(), program->log.size() + 1);
  return kSuccess;
}

FAKE_EXPORT int nvrtcDestroyProgram(void** handle) {
  if (handle == nullptr) return kInvalidInput;
  Program* program = find(*handle);
  if (program == nullptr) return kInvalidProgram;
  const std::lock_guard lock(mutex);
  programs.erase(program);
  delete program;
  *handle = nullptr;
  return kSuccess;
}
