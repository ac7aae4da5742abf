// new Launch(text of a `launch` message, callback(text)): ranks as threads; messages as in
// orchestration/protocol.ts.
#include <algorithm>
#include <memory>
#include <optional>

#include "addon/bindings.h"
#include "agent/thread_launch.h"

namespace collbench::addon {
namespace {

class LaunchBinding : public Napi::ObjectWrap<LaunchBinding> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(
        env, "Launch",
        {InstanceMethod("measure", &LaunchBinding::measure), InstanceMethod("stop", &LaunchBinding::stop),
         InstanceMethod("abort", &LaunchBinding::abort)});
  }

  explicit LaunchBinding(const Napi::CallbackInfo& info) : Napi::ObjectWrap<LaunchBinding>(info) {
    guarded(info, [&] {
      const auto message = agent::parse_controller_message(info[0].As<Napi::String>());
      const auto* request = std::get_if<agent::LaunchRequest>(&message);
      if (request == nullptr) throw Error(ErrorCode::kProtocol, "a launch begins with a launch message");
      auto callback =
          Napi::ThreadSafeFunction::New(info.Env(), info[1].As<Napi::Function>(), "collbench launch", 0, 1);
      // The last message gives the function back; until then it keeps Node alive, as an open child process
      // would.
      try {
        launch_ = std::make_unique<agent::ThreadLaunch>(
            *request, engines(), [callback](const std::string& line) { hand_over(callback, line); });
      } catch (...) {
        callback.Release();
        throw;
      }
    });
  }

 private:
  static void hand_over(Napi::ThreadSafeFunction callback, const std::string& line) {
    const bool last = line.find(R"("type":"stopped")") != std::string::npos ||
                      line.find(R"("type":"failed")") != std::string::npos;
    callback.NonBlockingCall(new std::string(line), &deliver);
    if (last) callback.Release();
  }
  static void deliver(Napi::Env env, Napi::Function callback, std::string* line) {
    const std::unique_ptr<std::string> owned(line);
    if (env != nullptr && callback != nullptr) callback.Call({Napi::String::New(env, *owned)});
  }

  template <typename Work>
  static void guarded(const Napi::CallbackInfo& info, Work work) {
    try {
      work();
    } catch (const Error& error) {
      throw to_js(info.Env(), error);
    }
  }

  Napi::Value measure(const Napi::CallbackInfo& info) {
    guarded(info, [&] {
      const auto message = agent::parse_controller_message(info[0].As<Napi::String>());
      const auto* request = std::get_if<agent::MeasureRequest>(&message);
      if (request == nullptr) throw Error(ErrorCode::kProtocol, "measure takes a measure message");
      launch_->measure(*request);
    });
    return info.Env().Undefined();
  }
  Napi::Value stop(const Napi::CallbackInfo& info) {
    launch_->stop();
    return info.Env().Undefined();
  }
  /// JavaScript method (kind: string, code: string, message: string) => undefined. Ends the launch as failed.
  /// Throws if `kind` is not one of kFailureKinds, such as "hang".
  Napi::Value abort(const Napi::CallbackInfo& info) {
    guarded(info, [&] {
      const std::string kind = info[0].As<Napi::String>();
      const auto* found = std::find(std::begin(agent::kFailureKinds), std::end(agent::kFailureKinds), kind);
      if (found == std::end(agent::kFailureKinds))
        throw Error(ErrorCode::kInvalidArgument, "a launch does not fail by '" + kind + "'");
      launch_->abort(static_cast<agent::FailureKind>(found - std::begin(agent::kFailureKinds)),
                     info[1].As<Napi::String>(), info[2].As<Napi::String>());
    });
    return info.Env().Undefined();
  }

  std::unique_ptr<agent::ThreadLaunch> launch_;
};

}  // namespace

void add_launch(Napi::Env env, Napi::Object exports) { exports.Set("Launch", LaunchBinding::define(env)); }

}  // namespace collbench::addon
