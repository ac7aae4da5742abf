#pragma once
// Registry of live objects whose handles are their addresses. An unknown handle gives nullptr, which callers
// turn into an error.
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace collbench::fakes {

/// All existing objects of one type (streams, events, graphs, ...) in this process, by handle.
template <typename Object>
class Registry {
 public:
  static void* add(std::shared_ptr<Object> object) {
    const std::lock_guard lock(mutex());
    void* handle = object.get();
    objects()[handle] = std::move(object);
    return handle;
  }
  /// Returns the object of a handle; null if there is none.
  static std::shared_ptr<Object> find(void* handle) {
    const std::lock_guard lock(mutex());
    const auto at = objects().find(handle);
    return at == objects().end() ? nullptr : at->second;
  }
  /// Removes the object of a handle and returns it; null if there is none.
  static std::shared_ptr<Object> take(void* handle) {
    const std::lock_guard lock(mutex());
    auto node = objects().extract(handle);
    return node.empty() ? nullptr : std::move(node.mapped());
  }
  static std::vector<std::shared_ptr<Object>> all() {
    const std::lock_guard lock(mutex());
    std::vector<std::shared_ptr<Object>> all;
    for (const auto& entry : objects()) all.push_back(entry.second);
    return all;
  }
  static int size() { return static_cast<int>(all().size()); }

 private:
  // Never destroyed, because streams' threads may outlive main().
  static std::mutex& mutex() {
    static auto* one = new std::mutex;
    return *one;
  }
  static std::unordered_map<void*, std::shared_ptr<Object>>& objects() {
    static auto* all = new std::unordered_map<void*, std::shared_ptr<Object>>;
    return *all;
  }
};

}  // namespace collbench::fakes
