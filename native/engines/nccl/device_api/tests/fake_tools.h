#pragma once
// Fake nvcc (a shell script that records its calls) and fake headers, because the machines that run these
// tests have no CUDA.
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "cuda/tests/harness.h"

namespace collbench::cuda_tests {

inline void write_program(const TemporaryFolder& folder, const std::string& name, const std::string& body) {
  const std::string path = folder.file(name, "#!/bin/sh\n" + body);
  REQUIRE(chmod(path.c_str(), 0755) == 0);
}

/// Creates a fake nvcc. It appends its arguments to <nvcc>.calls and then runs the given script lines, in
/// which $out is the output file.
inline std::string fake_nvcc(const TemporaryFolder& folder, const std::string& then) {
  write_program(folder, "cuda/bin/nvcc",
                "echo \"$*\" >> $0.calls\nwhile [ $# -gt 0 ]; do [ \"$1\" = -o ] && out=$2; shift; done\n" +
                    then + "\n");
  return folder.at("cuda/bin/nvcc");
}

inline void fake_headers(const TemporaryFolder& folder, const std::string& include,
                         const std::string& version_code) {
  folder.file(include + "/nccl.h", "/* fake */\n#define NCCL_VERSION_CODE " + version_code + "\n");
  folder.file(include + "/nccl_device.h");
}

}  // namespace collbench::cuda_tests
