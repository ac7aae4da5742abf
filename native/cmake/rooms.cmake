# One form for every room: cb_library(NAME sources... DEPS libs...) and cb_test(NAME sources... DEPS libs...).
add_library(cb_flags INTERFACE)
target_include_directories(cb_flags INTERFACE ${CMAKE_CURRENT_SOURCE_DIR})
target_compile_options(cb_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
  $<$<BOOL:${COLLBENCH_WERROR}>:-Werror>
  # g++ 12 sees overlapping copies in std::string's operator+ (its bug 105651), and unset strings in variants that hold
  # something else (its bug 105562).
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-maybe-uninitialized>)
if(COLLBENCH_SANITIZE)
  target_compile_options(cb_flags INTERFACE -fsanitize=${COLLBENCH_SANITIZE} -fno-omit-frame-pointer -g1)
  target_link_options(cb_flags INTERFACE -fsanitize=${COLLBENCH_SANITIZE})
endif()

# Kept libraries are not ours to warn about.
add_library(cb_third_party INTERFACE)
target_include_directories(cb_third_party SYSTEM INTERFACE ${CMAKE_CURRENT_SOURCE_DIR}/../third_party)

function(cb_library name)
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC cb_flags Threads::Threads ${ARG_DEPS})
endfunction()

# Sanitizer builds join sources (CMAKE_UNITY_BUILD) to halve their time; these have names of their own that clash.
function(cb_apart)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
