// new Sampler(names?): channels() and read(Float64Array), see metrics/sampler.h.
#include <memory>
#include <string>
#include <vector>

#include "addon/bindings.h"
#include "metrics/sampler.h"

namespace collbench::addon {
namespace {

class SamplerBinding : public Napi::ObjectWrap<SamplerBinding> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(env, "Sampler",
                       {InstanceMethod("channels", &SamplerBinding::channels),
                        InstanceMethod("read", &SamplerBinding::read)});
  }

  explicit SamplerBinding(const Napi::CallbackInfo& info) : Napi::ObjectWrap<SamplerBinding>(info) {
    metrics::SamplerOptions options;
    if (info.Length() > 0 && info[0].IsArray()) {
      const auto list = info[0].As<Napi::Array>();
      for (std::uint32_t i = 0; i < list.Length(); ++i)
        options.names.push_back(list.Get(i).As<Napi::String>());
    }
    for (const std::string& name : options.names)
      if (!metrics::is_source(name))
        throw to_js(info.Env(), Error(ErrorCode::kInvalidArgument,
                                      "metric source '" + name +
                                          "' does not exist; there are: " + metrics::source_names()));
    sampler_ = std::make_unique<metrics::Sampler>(options);
  }

 private:
  Napi::Value channels(const Napi::CallbackInfo& info) {
    const auto& channels = sampler_->channels();
    Napi::Array list = Napi::Array::New(info.Env(), channels.size());
    for (std::size_t i = 0; i < channels.size(); ++i) {
      Napi::Object one = Napi::Object::New(info.Env());
      one.Set("name", channels[i].name);
      one.Set("unit", channels[i].unit);
      one.Set("cumulative", channels[i].cumulative);
      list.Set(static_cast<std::uint32_t>(i), one);
    }
    return list;
  }

  /// JavaScript method (values: Float64Array) => [startNs, costNs]. Reads all metric sources that are due
  /// into `values`, one number per channel; throws RangeError for another length. Returns the begin
  /// (CLOCK_MONOTONIC) and duration of the reading.
  Napi::Value read(const Napi::CallbackInfo& info) {
    auto values = info[0].As<Napi::Float64Array>();
    if (values.ElementLength() != sampler_->channels().size())
      throw Napi::RangeError::New(info.Env(), "read needs room for " +
                                                  std::to_string(sampler_->channels().size()) +
                                                  " values, got " + std::to_string(values.ElementLength()));
    const auto reading = sampler_->read(values.Data());
    Napi::Array stamps = Napi::Array::New(info.Env(), 2);
    stamps.Set(0U, static_cast<double>(reading.start_ns));
    stamps.Set(1U, static_cast<double>(reading.cost_ns));
    return stamps;
  }

  std::unique_ptr<metrics::Sampler> sampler_;
};

}  // namespace

void add_sampler(Napi::Env env, Napi::Object exports) { exports.Set("Sampler", SamplerBinding::define(env)); }

}  // namespace collbench::addon
