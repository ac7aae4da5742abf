# One form for every room: cb_library(NAME sources... DEPS libs...) and cb_test(NAME sources... DEPS libs...).
add_library(cb_flags INTERFACE)
target_include_directories(cb_flags INTERFACE ${CMAKE_CURRENT_SOURCE_DIR})
target_compile_options(cb_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
  $<$<BOOL:${COLLBENCH_WERROR}>:-Werror>
  # g++ 12 sees overlapping copies in std::string's operator+ (its bug 105651).
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>)
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

# Registers one run of a test program. One that takes longer than two minutes hangs.
function(cb_run name program)
  cmake_parse_arguments(ARG "" "" "ENVIRONMENT" ${ARGN})
  add_test(NAME ${name} COMMAND ${program})
  set_tests_properties(${name} PROPERTIES TIMEOUT 120 ENVIRONMENT "${ARG_ENVIRONMENT}")
endfunction()

# A native test is one doctest program; it must not sleep to synchronise nor assert on elapsed time.
function(cb_test name)
  if(NOT COLLBENCH_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE cb_flags cb_third_party Threads::Threads ${ARG_DEPS})
  # Instrumented assertions take the compiler a minute a file at -O1 and a quarter of that without; what they test stays at -O1.
  if(COLLBENCH_SANITIZE)
    target_compile_options(${name} PRIVATE -O0)
  endif()
  cb_run(${name} ${name})
endfunction()
