#pragma once
// Handles are addresses of live objects; a handle that is not in its registry is an error, never a crash.
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace collbench::fakes {

template <typename Object>
class Registry {
 public:
  void* add(std::shared_ptr<Object> object) {
    const std::lock_guard lock(mutex_);
    void* handle = object.get();
    objects_[handle] = std::move(object);
    return handle;
  }
  /// nullptr when there is no such object.
  std::shared_ptr<Object> find(void* handle) {
    const std::lock_guard lock(mutex_);
    const auto at = objects_.find(handle);
    return at == objects_.end() ? nullptr : at->second;
  }
  /// Takes it out; nullptr when there is no such object.
  std::shared_ptr<Object> take(void* handle) {
    const std::lock_guard lock(mutex_);
    const auto at = objects_.find(handle);
    if (at == objects_.end()) return nullptr;
    std::shared_ptr<Object> object = std::move(at->second);
    objects_.erase(at);
    return object;
  }
  std::vector<std::shared_ptr<Object>> all() {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<Object>> objects;
    for (const auto& entry : objects_) objects.push_back(entry.second);
    return objects;
  }
  int size() {
    const std::lock_guard lock(mutex_);
    return static_cast<int>(objects_.size());
  }

  /// The process's registry of this kind; never destroyed, because streams' threads may outlive main().
  static Registry& instance() {
    static auto* registry = new Registry;
    return *registry;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<void*, std::shared_ptr<Object>> objects_;
};

}  // namespace collbench::fakes
