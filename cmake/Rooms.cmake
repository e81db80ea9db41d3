# A room is a folder of sources. It sees the headers of the rooms that it uses, and of those that they use, and no others:
# each room has an include folder of its own in the build tree, with links to its headers.

# Shows TARGET and who links it the headers in SOURCE_DIR/FOLDER, as "FOLDER/name.hpp".
function(show_headers target scope source_dir folder)
  set(root "${PROJECT_BINARY_DIR}/rooms/${target}")
  file(REMOVE_RECURSE "${root}")
  file(MAKE_DIRECTORY "${root}/${folder}")
  file(GLOB headers CONFIGURE_DEPENDS "${source_dir}/${folder}/*.hpp")
  foreach(header IN LISTS headers)
    cmake_path(GET header FILENAME name)
    file(CREATE_LINK "${header}" "${root}/${folder}/${name}" SYMBOLIC)
  endforeach()
  target_include_directories(${target} ${scope} "${root}")
endfunction()

# A compiler takes up to 2.7 GB for a wing: as many at once as the machine has memory for.
cmake_host_system_information(RESULT memory_mb QUERY TOTAL_PHYSICAL_MEMORY)
math(EXPR wings_at_once "${memory_mb} / 3500")
if(wings_at_once LESS 1)
  set(wings_at_once 1)
endif()
set_property(GLOBAL APPEND PROPERTY JOB_POOLS wings=${wings_at_once})

# add_room(FOLDER [USES ROOM...] [LIBRARIES LIBRARY...] [APART SOURCE...] [WING WING]): all sources in FOLDER. The rooms
# are named by their folders. Sources that are apart are not linked by a program that needs only others of their room, nor
# are the libraries that they alone need.
#
# All sources of a room are one unit, and those of the rooms of a wing, too: what they include is read once, and what they
# make of templates is made once, which is most of the work. Those of a room that are apart are one of their own. A program
# that links one room of a wing has all of them.
#
# Where each room is built by itself, an include against the arrows does not compile. A wing sees more than its rooms may,
# so style.arrows looks at each room by itself.
function(add_room folder)
  cmake_parse_arguments(PARSE_ARGV 1 room "" "WING" "USES;LIBRARIES;APART")
  string(REPLACE "/" "_" name "host_${folder}")
  string(REPLACE "/" "_" own_library "host_room_${folder}")
  add_library(${name} INTERFACE)
  show_headers(${name} INTERFACE "${CMAKE_CURRENT_SOURCE_DIR}" "${folder}")
  list(TRANSFORM room_USES PREPEND "host_")
  list(TRANSFORM room_USES REPLACE "/" "_")
  foreach(used IN LISTS room_USES)
    if(NOT TARGET ${used})
      message(FATAL_ERROR "${folder} uses ${used}, which is no room above it in the list")
    endif()
  endforeach()
  target_link_libraries(${name} INTERFACE ${room_USES})

  file(GLOB sources CONFIGURE_DEPENDS "${folder}/*.cpp")
  list(TRANSFORM room_APART PREPEND "${folder}/")
  set_source_files_properties(${sources} PROPERTIES UNITY_GROUP all)
  set_source_files_properties(${room_APART} PROPERTIES UNITY_GROUP ${name}_apart)
  add_sources(${own_library} "${sources}" ${name} "${room_LIBRARIES}")
  if(NOT MCP_UNITY_BUILD OR NOT room_WING)
    target_link_libraries(${name} INTERFACE $<LINK_ONLY:${own_library}>)
    return()
  endif()
  # The room's own library is not built, but has the commands that would compile it.
  set_target_properties(${own_library} PROPERTIES EXCLUDE_FROM_ALL ON)
  set_property(GLOBAL PROPERTY MCP_WING_OF_${folder} ${room_WING})
  add_sources(host_wing_${room_WING} "${sources}" ${name} "${room_LIBRARIES}")
  set_target_properties(host_wing_${room_WING} PROPERTIES JOB_POOL_COMPILE wings)
  target_link_libraries(${name} INTERFACE $<LINK_ONLY:host_wing_${room_WING}>)
endfunction()

# The library TARGET, which is made if it is not there, also has SOURCES, sees ROOM, and links LIBRARIES.
function(add_sources target sources room libraries)
  if(NOT TARGET ${target})
    add_library(${target} STATIC)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ${MCP_UNITY_BUILD} UNITY_BUILD_MODE GROUP)
    # So that some rooms can be part of a shared library, too (rules/).
    set_target_properties(${target} PROPERTIES
      POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    target_link_libraries(${target} PRIVATE mcp_project_options)
  endif()
  target_sources(${target} PRIVATE ${sources})
  target_link_libraries(${target} PRIVATE ${room} ${libraries})
endfunction()
