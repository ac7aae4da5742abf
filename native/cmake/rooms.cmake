# One form for every room: cb_library(NAME sources... DEPS libs...) and cb_test(NAME sources... DEPS libs...).
add_library(cb_flags INTERFACE)
target_compile_options(cb_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
  $<$<BOOL:${COLLBENCH_WERROR}>:-Werror>
  # g++ 12 sees overlapping copies in std::string's operator+ (its bug 105651), and unset strings in variants that hold
  # something else (its bug 105562).
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-maybe-uninitialized>)
if(COLLBENCH_SANITIZE)
  target_compile_options(cb_flags INTERFACE -fsanitize=${COLLBENCH_SANITIZE} -fno-omit-frame-pointer -g1
    # A test's own sources lack the checks of every single access, which take a third of their compile time.
    $<$<BOOL:$<TARGET_PROPERTY:CB_QUICKLY_COMPILED>>:-fno-sanitize=alignment,null,object-size,vptr>)
  target_link_options(cb_flags INTERFACE -fsanitize=${COLLBENCH_SANITIZE})
endif()

# cb_rooms, and what each may name in cb_room_NAME (rooms.txt).
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/rooms.txt)
file(STRINGS rooms.txt cb_lines REGEX "^[a-z]")
foreach(line ${cb_lines})
  string(REGEX MATCHALL "[a-z0-9_/.]+" words ${line})
  list(POP_FRONT words room)
  list(APPEND cb_rooms ${room})
  set(cb_room_${room} ${words})
endforeach()
foreach(room ${cb_rooms})
  if(NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${room})
    message(FATAL_ERROR "rooms.txt: ${room} is no folder or file of native code")
  endif()
  foreach(one ${cb_room_${room}})
    if(NOT one IN_LIST cb_rooms)
      message(FATAL_ERROR "rooms.txt: ${room} names ${one}, which has no line of its own")
    endif()
  endforeach()
endforeach()

# Kept libraries are not ours to warn about.
add_library(cb_third_party INTERFACE)
target_include_directories(cb_third_party SYSTEM INTERFACE ${CMAKE_CURRENT_SOURCE_DIR}/../third_party)

function(cb_library name)
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC cb_flags Threads::Threads ${ARG_DEPS})
endfunction()

# Code in which tests spend little time: with checks of undefined behaviour -O1 takes the compiler twice as long as -O0.
function(cb_rarely_run)
  if(COLLBENCH_SANITIZE MATCHES undefined)
    foreach(target ${ARGN})
      target_compile_options(${target} PRIVATE -O0)
    endforeach()
  endif()
endfunction()

# Code that runs before or after what is timed: -O3 would change no figure and take half as long again to compile.
function(cb_untimed)
  foreach(target ${ARGN})
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endforeach()
  cb_rarely_run(${ARGN})
endfunction()

# Builds join sources (CMAKE_UNITY_BUILD); these have names of their own that clash.
function(cb_apart)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# Sets `out` to the rooms that `room` sees: those of its line in rooms.txt, theirs, and so on.
function(cb_seen_rooms room out)
  set(seen "")
  set(next ${room})
  while(next)
    list(POP_FRONT next one)
    if(NOT one IN_LIST seen)
      list(APPEND seen ${one})
      list(APPEND next ${cb_room_${one}})
    endif()
  endwhile()
  set(${out} ${seen} PARENT_SCOPE)
endfunction()

# Gives all targets of a folder and of those below it the include paths of their rooms: folders of links in the build tree,
# because a path to `native` itself would show every room. Who sees a room sees the rooms inside it, too: those walls
# (engines may not know engines/nccl) are checked by tests/walls.mjs alone.
function(cb_wall folder)
  file(RELATIVE_PATH inside ${CMAKE_SOURCE_DIR} ${folder})
  set(room "")
  foreach(one ${cb_rooms})
    if("${inside}/" MATCHES "^${one}/" AND one STRGREATER room)
      set(room ${one})
    endif()
  endforeach()
  if(room STREQUAL "")
    message(FATAL_ERROR "rooms.txt has no line for ${inside}")
  endif()
  cb_seen_rooms("${room}" seen)
  set(paths "")
  foreach(one ${seen})
    string(REPLACE / _ name ${one})
    set(path ${CMAKE_BINARY_DIR}/include/${name})
    get_filename_component(parent ${path}/${one} DIRECTORY)
    file(MAKE_DIRECTORY ${parent})
    file(CREATE_LINK ${CMAKE_SOURCE_DIR}/${one} ${path}/${one} SYMBOLIC)
    list(APPEND paths ${path})
  endforeach()
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target ${targets})
    get_target_property(type ${target} TYPE)
    if(NOT type MATCHES "INTERFACE_LIBRARY|UTILITY")
      target_include_directories(${target} PRIVATE ${paths})
    endif()
  endforeach()
  get_property(below DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(one ${below})
    cb_wall(${one})
  endforeach()
endfunction()
