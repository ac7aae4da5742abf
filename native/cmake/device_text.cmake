# cb_device_text(NAME TEMPLATE parts...): the text that NVRTC compiles on a node, where it finds no headers: PARTS (below
# native/) behind each other, without their includes. TEMPLATE gets it as @NAME@; cb_device_text_source is what came of it.
function(cb_device_text name template)
  set(${name} "")
  foreach(part ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${part})
    file(READ ${CMAKE_SOURCE_DIR}/${part} text)
    string(REGEX REPLACE "#(pragma once|include [^\n]*)\n" "" text "${text}")
    string(APPEND ${name} "R\"collbench(${text})collbench\"\n")
  endforeach()
  string(TOLOWER ${name} file)
  configure_file(${template} ${CMAKE_CURRENT_BINARY_DIR}/${file}.cc @ONLY)
  set(cb_device_text_source ${CMAKE_CURRENT_BINARY_DIR}/${file}.cc PARENT_SCOPE)
endfunction()
