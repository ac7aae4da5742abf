#pragma once
#include <napi.h>

#include "core/error.h"

namespace collbench::addon {

/// JavaScript Error with `code` as error_code_name gives it.
inline Napi::Error to_js(Napi::Env env, const Error& error) {
  Napi::Error js = Napi::Error::New(env, error.what());
  js.Set("code", Napi::String::New(env, error_code_name(error.code())));
  return js;
}

/// Each adds its class or functions to the exports of collbench.node.
void add_launch(Napi::Env env, Napi::Object exports);
void add_sampler(Napi::Env env, Napi::Object exports);

}  // namespace collbench::addon
