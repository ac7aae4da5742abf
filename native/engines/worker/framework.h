#pragma once
// A machine learning framework as an engine: each rank starts one Python process that trains (worker.py next
// to each engine) and controls it step by step.
#include <memory>
#include <span>
#include <string_view>

#include "engines/engine.h"

namespace collbench::worker {

/// Addresses reserved for the Python processes (workers) of all ranks. Ranks exchange them before these
/// processes connect to each other.
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
  /// Returns the framework's own environment variables for a worker, in addition to the user's and NCCL's.
  EngineSettings (*environment)(const WorkerAddresses& addresses);
  /// True if the worker runs the user's program (setting `command`), and `text` is a module that this program
  /// imports. False if `text` is the worker program itself.
  bool is_own_program = false;
  /// Returns the text of a module that Python loads before the user's program; null = none.
  const char* (*startup)() noexcept = nullptr;
};

std::unique_ptr<Engine> make_engine(const Framework& framework, Bootstrap& bootstrap,
                                    const EngineOptions& options);

/// Checks that the Python of the settings has the framework's modules, without importing them. For training
/// on GPUs it also checks NCCL over `transport`; for training in host memory, that the framework has this
/// transport and that the network interface of `options` can be used. Takes up to 20 s; never throws.
Availability probe(const Framework& framework, const std::string& transport, const TransportOptions& options,
                   const EngineSettings& settings);

}  // namespace collbench::worker
