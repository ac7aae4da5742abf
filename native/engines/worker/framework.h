#pragma once
// A machine learning framework as an engine: each rank starts one Python process that trains (worker.py next
// to each engine) and controls it step by step.
#include <memory>
#include <span>
#include <string_view>

#include "engines/engine.h"

namespace collbench::worker {

/// Addresses of the workers, exchanged before they join each other.
struct WorkerAddresses {
  int rank = 0;
  int local_rank = 0;
  std::span<const std::string> addresses;  // Addresses by rank: "10.0.0.1:4711".
  std::string interface;
};

struct Framework {
  std::string_view name;                         // Name of the engine: "torch".
  std::string_view title;                        // Name for messages: "PyTorch".
  const char* (*text)() noexcept;                // Returns the text of the worker program.
  std::span<const std::string_view> modules;     // Python modules that it needs.
  std::string_view install;                      // Command that installs these modules.
  std::span<const std::string_view> transports;  // Transports for training in host memory.
  bool has_nccl;  // True if it can also train on GPUs over NCCL's transports (backend nccl).
  /// Returns variables for a worker, besides the user's and NCCL's.
  EngineSettings (*environment)(const WorkerAddresses& addresses);
  /// True if the text is a module for the user's program in the setting `command`, which runs by itself.
  bool is_own_program = false;
  /// Returns the module that Python loads first in such a program; nullptr = none.
  const char* (*startup)() noexcept = nullptr;
};

std::unique_ptr<Engine> make_engine(const Framework& framework, Bootstrap& bootstrap,
                                    const EngineOptions& options);

/// Checks that the Python of the settings has the modules, without importing them.
Availability probe(const Framework& framework, const std::string& transport, const TransportOptions& options,
                   const EngineSettings& settings);

}  // namespace collbench::worker
