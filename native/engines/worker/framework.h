#pragma once
// A framework of machine learning as an engine: each rank starts one Python process that trains (worker.py
// beside each engine) and asks it step by step.
#include <memory>
#include <span>
#include <string_view>

#include "engines/engine.h"

namespace collbench::worker {

/// What the ranks agree on before they join: where each worker can be reached, by rank.
struct Meeting {
  int rank = 0;
  int local_rank = 0;
  std::span<const std::string> addresses;  // "10.0.0.1:4711"
  std::string interface;
};

struct Framework {
  std::string_view name;                         // of the engine: "torch"
  std::string_view title;                        // for people: "PyTorch"
  const char* (*text)() noexcept;                // the worker's program
  std::span<const std::string_view> modules;     // that it must be able to import
  std::string_view install;                      // what installs them
  std::span<const std::string_view> transports;  // that it can train over in host memory
  bool has_nccl;                                 // and on GPUs over those of NCCL (backend nccl)
  /// Variables of a worker besides its user's and those of NCCL.
  Settings (*environment)(const Meeting& meeting);
  /// Its text is a module for the program of the setting `command`, which runs by itself.
  bool is_own_program = false;
  /// Module that Python loads first in such a program; nullptr = none.
  const char* (*startup)() noexcept = nullptr;
};

std::unique_ptr<Engine> make_engine(const Framework& framework, Bootstrap& bootstrap,
                                    const EngineOptions& options);

/// Looks for the modules with the Python of the settings, without importing them.
Availability probe(const Framework& framework, const std::string& transport, const TransportOptions& options,
                   const Settings& settings);

}  // namespace collbench::worker
