// libnvrtc-fake.so: accepts a source with the known kernels and returns an image.
#include <cstdlib>
#include <cstring>
#include <string>

#include "cuda/fake/fake_cuda.h"
#include "cuda/fake/image.h"

using namespace collbench::cuda_fake;

namespace {

constexpr int kSuccess = 0, kInvalidProgram = 4, kCompilation = 6;

struct Program {
  std::string source, log;
  bool compiled = false;
};

}  // namespace

FAKE_EXPORT int nvrtcVersion(int* major, int* minor) {
  *major = 13;
  *minor = 0;
  return kSuccess;
}

FAKE_EXPORT int nvrtcCreateProgram(Program** program, const char* source, const char* /*name*/,
                                   int /*headers*/, const char* const* /*texts*/,
                                   const char* const* /*names*/) {
  *program = new Program{source, {}};
  return kSuccess;
}

FAKE_EXPORT int nvrtcCompileProgram(Program* program, int /*count*/, const char* const* /*options*/) {
  if (std::getenv("NVRTC_FAKE_FAIL") != nullptr) program->log = "fake: error: NVRTC_FAKE_FAIL is set\n";
  for (const char* name : kKernelNames)
    if (program->source.find(name) == std::string::npos)
      program->log += std::string("fake: error: the source lacks ") + name + "\n";
  program->compiled = program->log.empty();
  return program->compiled ? kSuccess : kCompilation;
}

FAKE_EXPORT int nvrtcGetCUBINSize(const Program* program, std::size_t* bytes) {
  *bytes = sizeof kImage;
  return program->compiled ? kSuccess : kInvalidProgram;
}

FAKE_EXPORT int nvrtcGetCUBIN(const Program* program, char* image) {
  std::memcpy(image, kImage, sizeof kImage);
  return program->compiled ? kSuccess : kInvalidProgram;
}

FAKE_EXPORT int nvrtcGetProgramLogSize(const Program* program, std::size_t* bytes) {
  *bytes = program->log.size() + 1;
  return kSuccess;
}

FAKE_EXPORT int nvrtcGetProgramLog(const Program* program, char* text) {
  std::memcpy(text, program->log.c_str(), program->log.size() + 1);
  return kSuccess;
}

FAKE_EXPORT int nvrtcDestroyProgram(Program** program) {
  delete *program;
  *program = nullptr;
  return kSuccess;
}
