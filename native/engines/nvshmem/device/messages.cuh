// Messages between ranks: puts into the receiver's memory. The last put of each block to a peer has a signal.
namespace {

struct Mail {
  int lots, signal;
  size_t packet_bytes;
  uint64_t* signals;  // Symmetric memory, indexed by [source][block].
  CollbenchNvshmemLot lot[kCollbenchNvshmemMostLots];
  uint64_t turn[kCollbenchNvshmemMostLots];  // Value of the signals, by lot.
};

/// Returns true if this block moves or awaits pieces of a lot's sequence. Piece n is block n modulo the number
/// of blocks, so that all blocks share the pieces of each kernel.
__device__ __forceinline__ bool takes_part(const CollbenchNvshmemLot& lot) {
  return static_cast<int>(blockIdx.x) < lot.blocks && blockIdx.x < lot.total;
}

__device__ __forceinline__ void put_lot(const CollbenchNvshmemLot& lot, uint64_t turn, const Mail& mail,
                                        int rank) {
  const size_t pieces_each = (lot.bytes + mail.packet_bytes - 1) / mail.packet_bytes;
  const size_t end_of_lot = lot.first + pieces_each * static_cast<size_t>(lot.count);
  const size_t blocks = static_cast<size_t>(lot.blocks);
  uint64_t* const signal = mail.signals + rank * kMaxBlocks + blockIdx.x;
  for (size_t piece = lot.first + (blockIdx.x + blocks - lot.first % blocks) % blocks; piece < end_of_lot;
       piece += blocks) {
    const bool is_last = piece + blocks >= lot.total;
    const size_t message = (piece - lot.first) / pieces_each, part = (piece - lot.first) % pieces_each;
    const size_t begin = message * lot.bytes + part * mail.packet_bytes;
    const size_t end = min((message + 1) * lot.bytes, begin + mail.packet_bytes);
    char* const to = static_cast<char*>(lot.to) + begin;
    const char* const from = static_cast<const char*>(lot.from) + begin;
    if (!is_last || mail.signal == kCollbenchNvshmemSeparate)
      nvshmemx_putmem_nbi_block(to, from, end - begin, lot.peer);
    if (!is_last) continue;
    nvshmem_fence();
    if (mail.signal == kCollbenchNvshmemFused) {
      nvshmemx_putmem_signal_nbi_block(to, from, end - begin, signal, turn, NVSHMEM_SIGNAL_SET, lot.peer);
    } else {
      __syncthreads();
      if (threadIdx.x == 0) nvshmemx_signal_op(signal, turn, NVSHMEM_SIGNAL_SET, lot.peer);
    }
  }
}

__global__ void __launch_bounds__(kMaxThreads)
    move_lots(const __grid_constant__ Mail mail, int rank) {
  begin_kernel();
  for (int n = 0; n < mail.lots; ++n)
    if (mail.lot[n].from != nullptr && takes_part(mail.lot[n])) put_lot(mail.lot[n], mail.turn[n], mail, rank);
  for (int n = 0; n < mail.lots; ++n) {
    const CollbenchNvshmemLot& lot = mail.lot[n];
    if (lot.from == nullptr && threadIdx.x == 0 && takes_part(lot))
      nvshmem_signal_wait_until(mail.signals + lot.peer * kMaxBlocks + blockIdx.x, NVSHMEM_CMP_GE,
                                mail.turn[n]);
  }
  nvshmem_quiet();
}

}  // namespace
