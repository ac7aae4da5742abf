#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace collbench::metrics {

/// Ring buffer from the sampling thread (writer) to the thread that sends (reader). A row has one number per
/// metric channel. All memory is allocated by the constructor and never grows.
class RowRing {
 public:
  /// One reading: when it began (CLOCK_MONOTONIC), how long it took, and columns() numbers.
  struct Row {
    std::int64_t start_ns = 0, cost_ns = 0;
    double* values = nullptr;
  };

  RowRing(std::size_t rows, std::size_t columns)
      : columns_(columns),
        rows_(new Row[rows]),
        // Left uninitialised, so that no page is used before it is needed.
        values_(new double[rows * columns]),
        capacity_(rows) {
    for (std::size_t i = 0; i < rows; ++i) rows_[i].values = values_.get() + i * columns;
  }

  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }
  /// Returns the number of rows that were published but not yet released. The other thread may go on
  /// meanwhile: for the reader the number may be too low, for the writer too high.
  [[nodiscard]] std::size_t waiting() const noexcept {
    return static_cast<std::size_t>(written_.load(std::memory_order_acquire) -
                                    taken_.load(std::memory_order_acquire));
  }

  /// Returns the next free row for the writer to fill; nullptr if the ring is full. The reader sees the row
  /// after publish().
  Row* free_row() noexcept {
    return waiting() == capacity_ ? nullptr : &rows_[written_.load(std::memory_order_relaxed) % capacity_];
  }
  void publish() noexcept { written_.fetch_add(1, std::memory_order_release); }

  /// Returns the i-th row that was published and not released, 0 = oldest. Only for the reader.
  [[nodiscard]] const Row& at(std::size_t i) const noexcept {
    return rows_[(taken_.load(std::memory_order_relaxed) + i) % capacity_];
  }
  /// Frees the `rows` oldest rows for the writer, after the reader has processed them.
  void release(std::size_t rows) noexcept { taken_.fetch_add(rows, std::memory_order_release); }

 private:
  std::size_t columns_;
  std::unique_ptr<Row[]> rows_;
  std::unique_ptr<double[]> values_;
  std::size_t capacity_;
  std::atomic<std::uint64_t> written_{0}, taken_{0};
};

}  // namespace collbench::metrics
