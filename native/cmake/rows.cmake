# cb_rows(workload WorkloadEntry workloads/registry.h): folders here with a workload.cc are the rows of the table; each
# defines `WorkloadEntry NAME_workload()`, and `workloads()`, which HEADER declares, gives them all, or those that are named
# behind HEADER. Sets cb_rows_source.
function(cb_rows kind type header)
  set(names ${ARGN})
  if(NOT names)
    file(GLOB names CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} */${kind}.cc)
    list(TRANSFORM names REPLACE "/.*" "")
  endif()
  foreach(name ${names})
    string(APPEND declarations "${type} ${name}_${kind}();\n")
    string(APPEND rows "${name}_${kind}(), ")
  endforeach()
  list(JOIN ARGN _ named)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${named}rows.cc)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/rows.cc.in ${file} @ONLY)
  set(cb_rows_source ${file} PARENT_SCOPE)
endfunction()
