// Messages between ranks: puts into the receiver's memory; the last put of each block has a signal.
namespace {

struct Mail {
  int lots, signal;
  uint64_t turn;  // Value of the signals.
  size_t packet_bytes;
  uint64_t* signals;  // Symmetric memory, indexed by [source][block].
  CollbenchNvshmemLot lot[kCollbenchNvshmemMostLots];
};

struct Cut {  // Division of a lot into puts.
  size_t pieces_each, pieces;
};
__host__ __device__ __forceinline__ Cut cut_of(const CollbenchNvshmemLot& lot, size_t packet_bytes) {
  const size_t each = (lot.bytes + packet_bytes - 1) / packet_bytes;
  return {each, each * static_cast<size_t>(lot.count)};
}

__device__ __forceinline__ void put_lot(const CollbenchNvshmemLot& lot, const Mail& mail, int rank) {
  const Cut cut = cut_of(lot, mail.packet_bytes);
  const Range mine = part_of({0, cut.pieces}, static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x));
  uint64_t* const signal = mail.signals + rank * kMaxBlocks + blockIdx.x;
  for (size_t piece = mine.first; piece < mine.last; ++piece) {
    const size_t message = piece / cut.pieces_each, part = piece % cut.pieces_each;
    const size_t begin = message * lot.bytes + part * mail.packet_bytes;
    const size_t end = min((message + 1) * lot.bytes, begin + mail.packet_bytes);
    char* const to = static_cast<char*>(lot.to) + begin;
    const char* const from = static_cast<const char*>(lot.from) + begin;
    if (piece + 1 < mine.last || mail.signal == kCollbenchNvshmemSeparate)
      nvshmemx_putmem_nbi_block(to, from, end - begin, lot.peer);
    if (piece + 1 < mine.last) continue;
    nvshmem_fence();
    if (mail.signal == kCollbenchNvshmemFused) {
      nvshmemx_putmem_signal_nbi_block(to, from, end - begin, signal, mail.turn, NVSHMEM_SIGNAL_SET, lot.peer);
    } else {
      __syncthreads();
      if (threadIdx.x == 0) nvshmemx_signal_op(signal, mail.turn, NVSHMEM_SIGNAL_SET, lot.peer);
    }
  }
}

__global__ void __launch_bounds__(kMaxThreads)
    move_lots(const __grid_constant__ Mail mail, int rank) {
  begin_kernel();
  for (int n = 0; n < mail.lots; ++n)
    if (mail.lot[n].from != nullptr) put_lot(mail.lot[n], mail, rank);
  for (int n = 0; n < mail.lots; ++n) {
    const CollbenchNvshmemLot& lot = mail.lot[n];
    if (lot.from != nullptr || threadIdx.x != 0) continue;
    const Range awaited = part_of({0, cut_of(lot, mail.packet_bytes).pieces}, static_cast<int>(blockIdx.x),
                                  static_cast<int>(gridDim.x));
    if (awaited.first < awaited.last)
      nvshmem_signal_wait_until(mail.signals + lot.peer * kMaxBlocks + blockIdx.x, NVSHMEM_CMP_GE, mail.turn);
  }
  nvshmem_quiet();
}

}  // namespace
