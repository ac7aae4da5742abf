#pragma once
#include <napi.h>

#include "core/error.h"

namespace collbench::addon {

/// Returns a JavaScript Error with the message of `error`. Its property `code` is the name of the error code,
/// such as "connection_lost".
inline Napi::Error to_js(Napi::Env env, const Error& error) {
  Napi::Error js = Napi::Error::New(env, error.what());
  js.Set("code", Napi::String::New(env, error_code_name(error.code())));
  return js;
}

/// Adds the class Launch to the exports of the Node addon collbench.node; add_sampler() adds the class
/// Sampler.
void add_launch(Napi::Env env, Napi::Object exports);
void add_sampler(Napi::Env env, Napi::Object exports);

}  // namespace collbench::addon
