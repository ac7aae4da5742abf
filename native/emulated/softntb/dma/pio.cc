// Programmed I/O: sequences, barriers and SCIMemCpy. Raw stores through a mapped pointer cannot be
// intercepted. So the link model's write latency is spent in SCIFlush and SCIStoreBarrier. A sender that
// stores payload, flushes and stores a flag thus shows the flag no earlier than the model allows.
#include <algorithm>
#include <cstring>

#include "core/clock.h"
#include "core/spin.h"
#include "emulated/softntb/local_segment.h"
#include "emulated/softntb/map.h"
#include "emulated/softntb/remote_segment.h"

using namespace collbench::softntb;

namespace {

void spend_until(std::int64_t deadline_ns) {
  // Short waits keep the core, because yielding costs more than a microsecond.
  collbench::Spinner spinner(2'000);
  while (collbench::now_ns() < deadline_ns) spinner.step();
}

// Orders stores by instruction: std::atomic_thread_fence does not order non-temporal stores that a caller may
// use.
void order_stores() {
#if defined(__x86_64__)
  asm volatile("sfence" ::: "memory");
#else
  __sync_synchronize();
#endif
}

void drain_store_buffers() {
#if defined(__x86_64__)
  asm volatile("mfence" ::: "memory");
#else
  __sync_synchronize();
#endif
}

void flush(sci_sequence_t sequence) {
  order_stores();
  if (sequence == nullptr) {
    const std::int64_t cost = default_pio_write_ns.load(std::memory_order_relaxed);
    if (cost > 0) spend_until(collbench::now_ns() + cost);
    return;
  }
  const LinkModel& model = sequence->map->desc->session->model;
  if (model.pio_write_ns > 0) spend_until(collbench::now_ns() + model.pio_write_ns);
}

sci_sequence_status_t link_status(sci_sequence_t sequence) {
  const sci_map& map = *sequence->map;
  if (map.broken() || map.desc->session->link_down(0)) return SCI_SEQ_NOT_RETRIABLE;
  return SCI_SEQ_OK;
}

sci_error_t copy(sci_map_t map, std::byte* memory, std::size_t offset, std::size_t size, unsigned flags) {
  if (offset > map->size || size > map->size - offset) return SCI_ERR_OUT_OF_RANGE;
  Session& session = *map->desc->session;
  if (map->broken() || session.link_down(size)) return SCI_ERR_TRANSFER_FAILED;
  const bool read = (flags & SCI_FLAG_BLOCK_READ) != 0;
  std::byte* window = map->base + offset;
  const LinkModel& model = session.model;
  if (model.paced() && map->remote != nullptr) {
    AdapterLink& link = (*session.links)[map->remote->adapter];
    const std::int64_t wire_ns = model.wire_ns(size);
    WireSlot slot = (read ? link.incoming : link.outgoing).reserve(collbench::now_ns(), wire_ns);
    if (AdapterLink* far = map->remote->link; far != nullptr) {
      spend_until(slot.begin_ns);
      slot = (read ? far->outgoing : far->incoming).reserve(slot.begin_ns, wire_ns);
    }
    spend_until(slot.end_ns + (read ? model.pio_read_ns : model.pio_write_ns));
  }
  std::byte* target = read ? memory : window;
  std::memcpy(target, read ? window : memory, size);
  const bool flip = session.faults->bit_flip.strike();
  if (flip && size > 0) target[size / 2] ^= std::byte{0x10};
  drain_store_buffers();
  return SCI_ERR_OK;
}

}  // namespace

extern "C" {

void SCICreateMapSequence(sci_map_t map, sci_sequence_t* sequence, unsigned int flags, sci_error_t* error) {
  if (map == nullptr || sequence == nullptr) return report(error, SCI_ERR_ILLEGAL_PARAMETER);
  if ((flags & ~SCI_FLAG_FAST_BARRIER) != 0) return report(error, SCI_ERR_ILLEGAL_FLAG);
  map->sequences.fetch_add(1);
  *sequence = new sci_sequence{map};
  report(error, SCI_ERR_OK);
}

void SCIRemoveSequence(sci_sequence_t sequence, unsigned int flags, sci_error_t* error) {
  if (sequence == nullptr) return report(error, SCI_ERR_ILLEGAL_PARAMETER);
  if (flags != 0) return report(error, SCI_ERR_ILLEGAL_FLAG);
  sequence->map->sequences.fetch_sub(1);
  delete sequence;
  report(error, SCI_ERR_OK);
}

sci_sequence_status_t SCIStartSequence(sci_sequence_t sequence, unsigned int flags, sci_error_t* error) {
  if (sequence == nullptr) {
    report(error, SCI_ERR_ILLEGAL_PARAMETER);
    return SCI_SEQ_NOT_RETRIABLE;
  }
  report(error,
         (flags & ~(SCI_FLAG_NO_FLUSH | SCI_FLAG_NO_STORE_BARRIER)) != 0 ? SCI_ERR_ILLEGAL_FLAG : SCI_ERR_OK);
  return link_status(sequence);
}

sci_sequence_status_t SCICheckSequence(sci_sequence_t sequence, unsigned int flags, sci_error_t* error) {
  if (sequence == nullptr) {
    report(error, SCI_ERR_ILLEGAL_PARAMETER);
    return SCI_SEQ_NOT_RETRIABLE;
  }
  report(error,
         (flags & ~(SCI_FLAG_NO_FLUSH | SCI_FLAG_NO_STORE_BARRIER)) != 0 ? SCI_ERR_ILLEGAL_FLAG : SCI_ERR_OK);
  if ((flags & SCI_FLAG_NO_FLUSH) == 0) flush(sequence);
  if (link_status(sequence) != SCI_SEQ_OK) return SCI_SEQ_NOT_RETRIABLE;
  return sequence->map->desc->session->faults->retriable.strike() ? SCI_SEQ_RETRIABLE : SCI_SEQ_OK;
}

void SCIStoreBarrier(sci_sequence_t sequence, unsigned int) { flush(sequence); }

void SCIFlush(sci_sequence_t sequence, unsigned int flags) {
  // Flushing the CPU's buffers into the adapter does not wait for the wire.
  if ((flags & SCI_FLAG_FLUSH_CPU_BUFFERS_ONLY) != 0) return drain_store_buffers();
  flush(sequence);
}

void SCIMemCpy(sci_sequence_t sequence, void* memAddr, sci_map_t remoteMap, size_t remoteOffset, size_t size,
               unsigned int flags, sci_error_t* error) {
  if (memAddr == nullptr || remoteMap == nullptr) return report(error, SCI_ERR_ILLEGAL_PARAMETER);
  if ((flags & ~(SCI_FLAG_BLOCK_READ | SCI_FLAG_ERROR_CHECK)) != 0)
    return report(error, SCI_ERR_ILLEGAL_FLAG);
  if ((flags & SCI_FLAG_ERROR_CHECK) != 0 && sequence == nullptr)
    return report(error, SCI_ERR_ILLEGAL_PARAMETER);
  report(error, copy(remoteMap, static_cast<std::byte*>(memAddr), remoteOffset, size, flags));
}

void SCICacheSync(sci_map_t, void*, size_t, unsigned int flags, sci_error_t* error) {
  if ((flags & ~(SCI_FLAG_CACHE_FLUSH | SCI_FLAG_CACHE_INVALIDATE)) != 0)
    return report(error, SCI_ERR_ILLEGAL_FLAG);
  drain_store_buffers();  // caches are coherent
  report(error, SCI_ERR_OK);
}

}  // extern "C"
