# add_mcp_plugin(NAME KIND tools|resources|prompts SOURCES file... [OUTPUT_DIRECTORY dir] [C])
#
# A plugin: a library that exports mcp_plugin_entry_v1 and nothing else, so that any number of plugins, and of versions of
# one, can be in a process together and be unloaded again. It is put into MCP_COMPONENTS_DIR/KIND, or, where that variable
# is not set, into mcp_components/KIND of the build folder. KIND is order for people: a plugin may export components of
# every kind. With C, the plugin is written against mcp/plugin.h alone, and the C++ runtime is not linked into it.
include_guard(GLOBAL)
set_property(GLOBAL PROPERTY MCP_PLUGIN_SYMBOL_MAP "${CMAKE_CURRENT_LIST_DIR}/mcp-plugin.map")

function(add_mcp_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "C" "KIND;OUTPUT_DIRECTORY" "SOURCES")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "add_mcp_plugin(${name}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "add_mcp_plugin(${name}): give its source files: SOURCES ${name}.cpp")
  endif()
  if(NOT arg_KIND MATCHES "^(tools|resources|prompts)$")
    message(FATAL_ERROR "add_mcp_plugin(${name}): KIND must be tools, resources or prompts, not \"${arg_KIND}\"")
  endif()
  if(NOT arg_OUTPUT_DIRECTORY)
    if(MCP_COMPONENTS_DIR)
      set(arg_OUTPUT_DIRECTORY "${MCP_COMPONENTS_DIR}/${arg_KIND}")
    else()
      set(arg_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/mcp_components/${arg_KIND}")
    endif()
  endif()

  add_library(${name} MODULE ${arg_SOURCES})
  if(arg_C)
    target_link_libraries(${name} PRIVATE mcp::plugin_abi)
  else()
    target_link_libraries(${name} PRIVATE mcp::plugin)
  endif()
  set_target_properties(${name} PROPERTIES
    PREFIX ""
    DEFINE_SYMBOL ""
    LIBRARY_OUTPUT_DIRECTORY "${arg_OUTPUT_DIRECTORY}"
    C_VISIBILITY_PRESET hidden
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  if(APPLE)
    set_target_properties(${name} PROPERTIES SUFFIX ".dylib")
  endif()
  target_compile_options(${name} PRIVATE
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>
    $<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang>:-ffunction-sections;-fdata-sections>)
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    _mcp_plugin_link_options(${name})
  endif()
endfunction()

# add_mcp_plugin_test(NAME [SOURCES file...] [CALL tool arguments RESULT regex])
#
# Tests of the plugin NAME for ctest: NAME_test, a program of these sources and of what the plugin is made of, so that it
# needs neither a host nor the library; and, where the host is installed, NAME_inspect: it looks at the plugin as it does
# before it serves one, and NAME_TOOL: it calls a tool with these arguments, a JSON object, and prints what matches, and
# nothing of a sanitizer. To be called after all else that is said of the plugin, and again for each further call; those of
# the same tool are NAME_TOOL_2 and so on.
function(add_mcp_plugin_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "RESULT" "SOURCES;CALL")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "add_mcp_plugin_test(${name}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT TARGET ${name})
    message(FATAL_ERROR "add_mcp_plugin_test(${name}): there is no plugin of this name; call add_mcp_plugin(${name} ...) "
                        "before it")
  endif()
  list(LENGTH arg_CALL call_words)
  if(arg_CALL AND NOT (call_words EQUAL 2 AND arg_RESULT))
    message(FATAL_ERROR "add_mcp_plugin_test(${name}): a call has a tool, arguments and a RESULT: "
                        [=[CALL hello [[{"name": "Ada"}]] RESULT "Hello, Ada!"]=])
  endif()
  if(arg_SOURCES)
    _mcp_plugin_unit_test(${name} ${arg_SOURCES})
  endif()
  if(NOT MCP_PLUGIN_HOST)
    return()
  endif()
  if(NOT TEST ${name}_inspect)
    _mcp_plugin_host_test(${name}_inspect inspect "$<TARGET_FILE:${name}>")
  endif()
  if(arg_CALL)
    list(GET arg_CALL 0 tool)
    set(test ${name}_${tool})
    set(number 1)
    while(TEST ${test} OR test STREQUAL "${name}_test" OR test STREQUAL "${name}_inspect")
      math(EXPR number "${number} + 1")
      set(test ${name}_${tool}_${number})
    endwhile()
    _mcp_plugin_host_test(${test} call --components "$<TARGET_FILE_DIR:${name}>/.." ${arg_CALL})
    # With the one, ctest does not look at the exit status, so the other says what is wrong all the same.
    set_tests_properties(${test} PROPERTIES
      PASS_REGULAR_EXPRESSION "${arg_RESULT}" FAIL_REGULAR_EXPRESSION "ERROR: |runtime error:")
  endif()
endfunction()

function(_mcp_plugin_unit_test name)
  set(test ${name}_test)
  add_executable(${test} ${ARGN} $<TARGET_OBJECTS:${name}>)
  target_link_libraries(${test} PRIVATE mcp::plugin_testing $<TARGET_PROPERTY:${name},LINK_LIBRARIES>)
  target_include_directories(${test} PRIVATE $<TARGET_PROPERTY:${name},INCLUDE_DIRECTORIES>)
  target_compile_definitions(${test} PRIVATE $<TARGET_PROPERTY:${name},COMPILE_DEFINITIONS>)
  get_target_property(precompiled ${name} PRECOMPILE_HEADERS)
  if(precompiled)
    # With the same flags, or the compiler would not take them.
    set_target_properties(${test} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    target_compile_options(${test} PRIVATE -fPIC $<TARGET_PROPERTY:${name},COMPILE_OPTIONS>)
    target_precompile_headers(${test} REUSE_FROM ${name})
  endif()
  add_test(NAME ${test} COMMAND ${test})
endfunction()

# A command of the host as a test.
function(_mcp_plugin_host_test test)
  add_test(NAME ${test} COMMAND "${MCP_PLUGIN_HOST}" ${ARGN})
  if(NOT "${CMAKE_C_FLAGS} ${CMAKE_CXX_FLAGS}" MATCHES "-fsanitize=[a-z,]*address")
    return()
  endif()
  # A library that is compiled with AddressSanitizer can be loaded by a program that was started with its runtime.
  if(CMAKE_CXX_COMPILER_LOADED)
    set(language CXX)
  else()
    set(language C)
  endif()
  if(NOT CMAKE_${language}_COMPILER_ID STREQUAL "GNU")
    set_tests_properties(${test} PROPERTIES DISABLED ON)
    return()
  endif()
  set(preloaded)
  foreach(library IN ITEMS libasan.so libubsan.so)
    execute_process(COMMAND "${CMAKE_${language}_COMPILER}" "-print-file-name=${library}"
                    OUTPUT_VARIABLE path OUTPUT_STRIP_TRAILING_WHITESPACE)
    list(APPEND preloaded "${path}")
  endforeach()
  list(JOIN preloaded ":" preloaded)
  set_tests_properties(${test} PROPERTIES ENVIRONMENT "LD_PRELOAD=${preloaded}")
endfunction()

function(_mcp_plugin_link_options name)
  get_property(symbol_map GLOBAL PROPERTY MCP_PLUGIN_SYMBOL_MAP)
  # -z now: a function that is missing is found when the plugin is loaded and refused, not in the middle of a call.
  # --gc-sections: only what the plugin uses of what is linked into it; half of it, for a small one.
  target_link_options(${name} PRIVATE "LINKER:--version-script=${symbol_map}" "LINKER:-z,now" "LINKER:--gc-sections")
  set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS "${symbol_map}")
  # Sanitizers leave symbols to the program that loads the plugin.
  if(NOT MCP_SANITIZER AND NOT "${CMAKE_C_FLAGS} ${CMAKE_CXX_FLAGS}" MATCHES "-fsanitize")
    target_link_options(${name} PRIVATE "LINKER:--no-undefined")
  endif()
endfunction()
