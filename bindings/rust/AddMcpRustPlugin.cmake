# add_mcp_rust_plugin(NAME KIND tools|resources|prompts [OUTPUT_DIRECTORY dir])
#
# A plugin in Rust: the target NAME calls cargo each time, which knows what has changed, for the package NAME in this
# folder, a cdylib. The library is put where add_mcp_plugin puts that of C++, and the crates that it is made of into the
# build folder, or where the variable CARGO_TARGET_DIR of the environment says. A build of the type Debug is cargo's
# "dev", every other one its "release".
#
# add_mcp_rust_plugin_test(NAME [CALL tool arguments RESULT regex])
#
# Tests of it for ctest: NAME_test, by "cargo test"; NAME_inspect: the host looks at it as it does before it serves one;
# and NAME_TOOL: the host calls a tool with these arguments, a JSON object, and prints what matches.
include_guard(GLOBAL)
find_program(MCP_CARGO cargo HINTS "$ENV{HOME}/.cargo/bin" DOC "What builds plugins in Rust")
find_program(MCP_PLUGIN_HOST mcp-plugin-host DOC "The host, which looks at plugins in tests")

# Where cargo puts what it makes, its name for the kind of build, and the folder of that kind there.
function(_mcp_cargo_build target_dir profile directory)
  set(made "${CMAKE_BINARY_DIR}/cargo")
  if(DEFINED ENV{CARGO_TARGET_DIR})
    set(made "$ENV{CARGO_TARGET_DIR}")
  endif()
  set(${target_dir} "${made}" PARENT_SCOPE)
  if(CMAKE_BUILD_TYPE STREQUAL "Debug")
    set(${profile} dev PARENT_SCOPE)
    set(${directory} "${made}/debug" PARENT_SCOPE)
  else()
    set(${profile} release PARENT_SCOPE)
    set(${directory} "${made}/release" PARENT_SCOPE)
  endif()
endfunction()

function(add_mcp_rust_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "KIND;OUTPUT_DIRECTORY" "")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "add_mcp_rust_plugin(${name}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_KIND MATCHES "^(tools|resources|prompts)$")
    message(FATAL_ERROR "add_mcp_rust_plugin(${name}): KIND must be tools, resources or prompts, not \"${arg_KIND}\"")
  endif()
  if(NOT MCP_CARGO)
    message(FATAL_ERROR "Cargo is not found, which builds plugins in Rust: install Rust 1.82 or newer, with rustup or as "
                        "cargo")
  endif()
  if(NOT arg_OUTPUT_DIRECTORY)
    if(MCP_COMPONENTS_DIR)
      set(arg_OUTPUT_DIRECTORY "${MCP_COMPONENTS_DIR}/${arg_KIND}")
    else()
      set(arg_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/mcp_components/${arg_KIND}")
    endif()
  endif()
  _mcp_cargo_build(target_dir profile directory)
  string(REPLACE "-" "_" library "${name}")
  set(library "${directory}/${CMAKE_SHARED_LIBRARY_PREFIX}${library}${CMAKE_SHARED_LIBRARY_SUFFIX}")
  set(plugin "${arg_OUTPUT_DIRECTORY}/${name}${CMAKE_SHARED_LIBRARY_SUFFIX}")
  add_custom_target(${name} ALL
    COMMAND "${CMAKE_COMMAND}" -E env "CARGO_TARGET_DIR=${target_dir}" "${MCP_CARGO}" build --lib --profile ${profile}
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${arg_OUTPUT_DIRECTORY}"
    COMMAND "${CMAKE_COMMAND}" -E copy_if_different "${library}" "${plugin}"
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
    COMMENT "Building ${name} with cargo" VERBATIM)
  set_target_properties(${name} PROPERTIES MCP_PLUGIN_FILE "${plugin}")
endfunction()

function(add_mcp_rust_plugin_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "RESULT" "CALL")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "add_mcp_rust_plugin_test(${name}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  _mcp_cargo_build(target_dir profile directory)
  if(NOT TEST ${name}_test)
    add_test(NAME ${name}_test
      COMMAND "${CMAKE_COMMAND}" -E env "CARGO_TARGET_DIR=${target_dir}" "${MCP_CARGO}" test --profile ${profile}
      WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  endif()
  if(NOT MCP_PLUGIN_HOST)
    return()
  endif()
  get_target_property(plugin ${name} MCP_PLUGIN_FILE)
  if(NOT TEST ${name}_inspect)
    add_test(NAME ${name}_inspect COMMAND "${MCP_PLUGIN_HOST}" inspect "${plugin}")
  endif()
  if(arg_CALL)
    list(GET arg_CALL 0 tool)
    cmake_path(GET plugin PARENT_PATH folder)
    add_test(NAME ${name}_${tool} COMMAND "${MCP_PLUGIN_HOST}" call --components "${folder}/.." ${arg_CALL})
    set_tests_properties(${name}_${tool} PROPERTIES PASS_REGULAR_EXPRESSION "${arg_RESULT}")
  endif()
endfunction()
