# cb_rows(workload WorkloadEntry workloads/registry.h): folders here with a workload.cc are the rows of the table; each
# defines `WorkloadEntry NAME_workload()`, and `workloads()`, which HEADER declares, gives them all. Sets cb_rows_source.
function(cb_rows kind type header)
  file(GLOB found CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} */${kind}.cc)
  foreach(file ${found})
    get_filename_component(name ${file} DIRECTORY)
    string(APPEND declarations "${type} ${name}_${kind}();\n")
    string(APPEND rows "${name}_${kind}(), ")
  endforeach()
  configure_file(${CMAKE_SOURCE_DIR}/cmake/rows.cc.in ${CMAKE_CURRENT_BINARY_DIR}/rows.cc @ONLY)
  set(cb_rows_source ${CMAKE_CURRENT_BINARY_DIR}/rows.cc PARENT_SCOPE)
endfunction()
