# Native tests. cb_test(NAME sources... DEPS libs... [THREADS] [FAKE]) makes one doctest program; it must not sleep to
# synchronise nor assert on elapsed time.
#   THREADS  TSan is for it
#   FAKE     its subject is a fake library: the sanitizer builds of every day leave it to those of the night
# What belongs together has a target `tests-LABEL` and runs with `ctest -L "^LABEL$"`: all, asan, tsan, and each room.
# What a test says matters, not how fast: assertions take the compiler four times as long at -O3, and a minute a file where
# they are instrumented. What is tested keeps its own level, and all checks of sanitizers.
function(cb_quickly_compiled target)
  target_compile_options(${target} PRIVATE -O0)
  set_target_properties(${target} PROPERTIES CB_QUICKLY_COMPILED ON)
endfunction()

if(COLLBENCH_TESTS)
  # Compiled once for all: the runner of doctest costs more than most tests.
  add_library(cb_doctest STATIC EXCLUDE_FROM_ALL ${CMAKE_CURRENT_SOURCE_DIR}/core/tests/main.cc)
  target_link_libraries(cb_doctest PRIVATE cb_flags cb_third_party)
  cb_quickly_compiled(cb_doctest)
endif()

# Registers one run of a test program. One that takes longer than ten minutes hangs, also on a shared machine.
function(cb_run name program)
  cmake_parse_arguments(ARG "" "" "ENVIRONMENT" ${ARGN})
  add_test(NAME ${name} COMMAND ${program})
  get_target_property(labels ${program} CB_LABELS)
  set_tests_properties(${name} PROPERTIES TIMEOUT 600 LABELS "${labels}" ENVIRONMENT "${ARG_ENVIRONMENT}")
endfunction()

function(cb_test name)
  if(NOT COLLBENCH_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "THREADS;FAKE" "" "DEPS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE cb_doctest cb_flags cb_third_party Threads::Threads ${ARG_DEPS})
  cb_quickly_compiled(${name})
  file(RELATIVE_PATH room ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  string(REGEX REPLACE "/.*" "" room ${room})
  set(labels all ${room})
  if(NOT ARG_FAKE)
    list(APPEND labels asan)
    if(ARG_THREADS)
      list(APPEND labels tsan)
    endif()
  endif()
  # The sources of a test are joined in every build: each by itself would read doctest and nlohmann/json again.
  set_target_properties(${name} PROPERTIES CB_LABELS "${labels}" UNITY_BUILD ON)
  foreach(label ${labels})
    if(NOT TARGET tests-${label})
      add_custom_target(tests-${label})
    endif()
    add_dependencies(tests-${label} ${name})
  endforeach()
  cb_run(${name} ${name})
endfunction()
