# ccache or sccache, where there is one and nobody asked for another; what it keeps serves every checkout, wherever it lies.
if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(COLLBENCH_COMPILER_CACHE NAMES ccache sccache)
  if(COLLBENCH_COMPILER_CACHE)
    get_filename_component(checkout ${CMAKE_CURRENT_SOURCE_DIR}/.. ABSOLUTE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${checkout} CCACHE_NOHASHDIR=1
      ${COLLBENCH_COMPILER_CACHE})
    set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
  endif()
endif()
