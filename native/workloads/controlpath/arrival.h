#pragma once
// Waits on the target for puts to arrive. The last put of each queue carries the operation's number and
// arrives after all earlier ones. Only the initiator knows that all bytes have arrived.
#include <cstdint>
#include <memory>

#include "workloads/controlpath/put_queues.h"

namespace collbench::controlpath {

class Arrival {
 public:
  virtual ~Arrival() = default;
  /// Waits until the last put of operation `number`, or of a later one, has arrived in this rank's memory.
  virtual void await(std::uint64_t number) = 0;
};

/// Returns an object that waits for puts into the target memory of `lanes`. If the engine has a GPU, the
/// memory is polled by a kernel (by the host if another rank shares the GPU), otherwise by the rank's thread.
std::unique_ptr<Arrival> make_arrival(Engine& engine, const PutQueues& lanes);

}  // namespace collbench::controlpath
