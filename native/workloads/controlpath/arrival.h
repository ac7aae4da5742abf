#pragma once
// How the target learns of puts: the last of each queue brings the number of its operation behind all that
// came before it. Only the initiator knows that all bytes have come.
#include <cstdint>
#include <memory>

#include "workloads/controlpath/lanes.h"

namespace collbench::controlpath {

class Arrival {
 public:
  virtual ~Arrival() = default;
  /// Until the puts of that number, or of a later one, are here.
  virtual void await(std::uint64_t number) = 0;
};

/// In host memory, or in that of the engine's device.
std::unique_ptr<Arrival> make_arrival(Engine& engine, const Lanes& lanes);

}  // namespace collbench::controlpath
