# add_mcp_zig_plugin(NAME KIND tools|resources|prompts SOURCE file.zig [OUTPUT_DIRECTORY dir])
#
# A plugin in Zig: a target NAME, which calls zig each time and leaves it to it to know what has changed. The library is
# put where add_mcp_plugin puts that of C++. The source, and what it imports by its path, gets the module "mcp".
#
# add_mcp_zig_test(NAME SOURCE file.zig [OBJECTS file...])
#
# The `test` declarations of a source as the test NAME for ctest.
#
# mcp_find_zig(RESULT): the command of zig, or nothing if there is none of a version that the module understands; why is in
# RESULT_MISSING then.
include_guard(GLOBAL)
set_property(GLOBAL PROPERTY MCP_ZIG_MODULE "${CMAKE_CURRENT_LIST_DIR}/src/mcp.zig")

function(mcp_find_zig result)
  find_program(ZIG zig DOC "Zig; without it that of the Python package ziglang is looked for")
  find_program(ZIG_PYTHON NAMES python3 python)
  set(${result} "" PARENT_SCOPE)
  set(${result}_MISSING "Zig 0.17 is missing; install it (ziglang.org, or: python3 -m venv ~/zig && ~/zig/bin/pip install ziglang, \
with ~/zig/bin first in PATH)" PARENT_SCOPE)
  foreach(command IN ITEMS "${ZIG}" "${ZIG_PYTHON};-m;ziglang")
    execute_process(COMMAND ${command} version OUTPUT_VARIABLE version ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(version MATCHES "^0\\.17\\.")
      set(${result} "${command}" PARENT_SCOPE)
      return()
    elseif(version)
      set(${result}_MISSING "Zig is ${version}, and the plugin API is written in 0.17; install that" PARENT_SCOPE)
    endif()
  endforeach()
  # Else one that is put into PATH later would not be looked for.
  unset(ZIG CACHE)
  unset(ZIG_PYTHON CACHE)
endfunction()

function(add_mcp_zig_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "KIND;SOURCE;OUTPUT_DIRECTORY" "")
  if(NOT arg_KIND MATCHES "^(tools|resources|prompts)$")
    message(FATAL_ERROR "add_mcp_zig_plugin(${name}): KIND must be tools, resources or prompts, not \"${arg_KIND}\"")
  endif()
  if(NOT arg_OUTPUT_DIRECTORY)
    if(NOT MCP_COMPONENTS_DIR)
      set(MCP_COMPONENTS_DIR "${CMAKE_BINARY_DIR}/mcp_components")
    endif()
    set(arg_OUTPUT_DIRECTORY "${MCP_COMPONENTS_DIR}/${arg_KIND}")
  endif()
  _mcp_zig_arguments(modules "${arg_SOURCE}")
  mcp_find_zig(zig)
  if(NOT zig)
    message(FATAL_ERROR "${zig_MISSING}")
  endif()
  set(mode safe)
  if(CMAKE_BUILD_TYPE STREQUAL "Debug")
    set(mode debug)
  endif()
  # Without what checks C, a plugin exports one symbol. With LLVM, also in mode debug, where zig by itself is faster, because
  # of its own debug data libdw finds hardly any line, and a crash would be told without. Copied when it is whole, and left alone when it is the same.
  cmake_path(GET arg_SOURCE STEM LAST_ONLY stem)
  set(library "${CMAKE_CURRENT_BINARY_DIR}/${stem}.so")
  add_custom_target(${name} ALL
    COMMAND ${zig} build-lib -dynamic -lc -O ${mode} -fllvm -fno-ubsan-rt --name ${stem} ${modules} "-femit-bin=${library}"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${arg_OUTPUT_DIRECTORY}"
    COMMAND "${CMAKE_COMMAND}" -E copy_if_different "${library}" "${arg_OUTPUT_DIRECTORY}/${stem}.so"
    BYPRODUCTS "${library}" "${arg_OUTPUT_DIRECTORY}/${stem}.so"
    COMMENT "Building ${stem}.so with zig" VERBATIM)
endfunction()

function(add_mcp_zig_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE" "OBJECTS")
  _mcp_zig_arguments(modules "${arg_SOURCE}")
  mcp_find_zig(zig)
  add_test(NAME ${name} COMMAND ${zig} test -lc ${modules} ${arg_OBJECTS})
endfunction()

function(_mcp_zig_arguments result source)
  get_property(module GLOBAL PROPERTY MCP_ZIG_MODULE)
  cmake_path(ABSOLUTE_PATH source)
  set(${result} --cache-dir "${CMAKE_BINARY_DIR}/zig-cache" --dep mcp "-Mroot=${source}" "-Mmcp=${module}" PARENT_SCOPE)
endfunction()
