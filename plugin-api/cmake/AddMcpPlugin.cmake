# add_mcp_plugin(NAME KIND tools|resources|prompts SOURCES file... [OUTPUT_DIRECTORY dir] [C]
#                [BUNDLE] [FILES file...] [LIBRARIES library...])
#
# A plugin: a library that exports mcp_plugin_entry_v1 and nothing else, so that any number of plugins, and of versions of
# one, can be in a process together and be unloaded again. It is put into MCP_COMPONENTS_DIR/KIND, or, where that variable
# is not set, into mcp_components/KIND of the build folder. KIND is order for people: a plugin may export components of
# every kind. With C, the plugin is written against mcp/plugin.h alone, and the C++ runtime is not linked into it.
#
# With BUNDLE, which FILES and LIBRARIES imply, it becomes the folder NAME.plugin, by a target NAME_bundle that belongs to
# ALL. The FILES are copied into it, each under its path below the source or the build folder; the LIBRARIES, shared ones
# that are targets or files, are linked and copied beside the plugin, which finds them there. The folder is made aside
# and takes its name when it is complete, so that a build is one change for a host that serves it.
include_guard(GLOBAL)
set_property(GLOBAL PROPERTY MCP_PLUGIN_SYMBOL_MAP "${CMAKE_CURRENT_LIST_DIR}/mcp-plugin.map")

function(add_mcp_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "C;BUNDLE" "KIND;OUTPUT_DIRECTORY" "SOURCES;FILES;LIBRARIES")
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
  if(arg_BUNDLE OR arg_FILES OR arg_LIBRARIES)
    _mcp_plugin_bundle(${name} "${arg_OUTPUT_DIRECTORY}" "${arg_FILES}" "${arg_LIBRARIES}")
  endif()
endfunction()

# The library is built elsewhere and is copied with the rest.
function(_mcp_plugin_bundle name directory files libraries)
  set(work "${CMAKE_CURRENT_BINARY_DIR}/${name}.bundle")
  set_target_properties(${name} PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY "${work}"
    BUILD_WITH_INSTALL_RPATH ON
    MCP_PLUGIN_BUNDLE "${directory}/${name}.plugin")
  if(APPLE)
    set_target_properties(${name} PROPERTIES INSTALL_RPATH "@loader_path")
  else()
    set_target_properties(${name} PROPERTIES INSTALL_RPATH "$ORIGIN")
  endif()
  set(copies "copy([[$<TARGET_FILE:${name}>]] [[${name}$<TARGET_FILE_SUFFIX:${name}>]])\n")
  set(sources)
  foreach(library IN LISTS libraries)
    target_link_libraries(${name} PRIVATE ${library})
    if(TARGET ${library})
      string(APPEND copies "copy_library([[$<TARGET_FILE:${library}>]])\n")
      list(APPEND sources ${library})
    else()
      string(APPEND copies "copy_library([[${library}]])\n")
      list(APPEND sources "${library}")
    endif()
  endforeach()
  foreach(file IN LISTS files)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    cmake_path(GET file FILENAME below)
    foreach(base IN ITEMS "${CMAKE_CURRENT_BINARY_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
      cmake_path(IS_PREFIX base "${file}" NORMALIZE is_below)
      if(is_below)
        cmake_path(RELATIVE_PATH file BASE_DIRECTORY "${base}" OUTPUT_VARIABLE below)
        break()
      endif()
    endforeach()
    string(APPEND copies "copy([[${file}]] [[${below}]])\n")
    list(APPEND sources "${file}")
  endforeach()
  file(GENERATE OUTPUT "${work}/bundle.cmake" CONTENT "\
cmake_minimum_required(VERSION 3.25)
# Hidden names, which a host passes over.
set(new [[${directory}/.${name}.plugin.new]])
set(old [[${directory}/.${name}.plugin.old]])
set(bundle [[${directory}/${name}.plugin]])
function(copy file name)
  cmake_path(GET name PARENT_PATH folder)
  file(MAKE_DIRECTORY \"\${new}/\${folder}\")
  file(COPY_FILE \"\${file}\" \"\${new}/\${name}\")
endfunction()
# Under the name by which it will be looked for.
function(copy_library file)
  cmake_path(GET file FILENAME name)
  execute_process(COMMAND [[${CMAKE_READELF}]] -d \"\${file}\" OUTPUT_VARIABLE dynamic ERROR_QUIET)
  if(dynamic MATCHES [=[\\(SONAME\\)[^[]*\\[([^]]+)\\]]=])
    set(name \"\${CMAKE_MATCH_1}\")
  endif()
  copy(\"\${file}\" \"\${name}\")
endfunction()
file(REMOVE_RECURSE \"\${new}\" \"\${old}\")
${copies}\
if(EXISTS \"\${bundle}\")
  file(RENAME \"\${bundle}\" \"\${old}\")
endif()
file(RENAME \"\${new}\" \"\${bundle}\")
file(REMOVE_RECURSE \"\${old}\")
")
  add_custom_command(OUTPUT "${work}/made"
    COMMAND "${CMAKE_COMMAND}" -P "${work}/bundle.cmake"
    COMMAND "${CMAKE_COMMAND}" -E touch "${work}/made"
    DEPENDS ${name} ${sources} "${work}/bundle.cmake"
    COMMENT "Bundling ${name}.plugin" VERBATIM)
  add_custom_target(${name}_bundle ALL DEPENDS "${work}/made")
endfunction()

# add_mcp_plugin_test(NAME [SOURCES file...] [CALL tool arguments RESULT regex] [CHECK [option...]])
#
# Tests of the plugin NAME for ctest: NAME_test, a program of these sources and of what the plugin is made of, so that it
# needs neither a host nor the library; and, where the host is installed, NAME_inspect: it looks at the plugin as it does
# before it serves one, and NAME_TOOL: it calls a tool with these arguments, a JSON object, and prints what matches, and
# nothing of a sanitizer. With CHECK, and options of `mcp-plugin-host check` such as --only-read-only, there is NAME_check,
# which uses all that the plugin describes and fails where it does not keep what it promises. To be called after all else that is said of the plugin, and again for each further call; those of
# the same tool are NAME_TOOL_2 and so on.
function(add_mcp_plugin_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "RESULT" "SOURCES;CALL;CHECK")
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
  set(plugin "$<TARGET_FILE:${name}>")
  set(components "$<TARGET_FILE_DIR:${name}>/..")
  get_target_property(bundle ${name} MCP_PLUGIN_BUNDLE)
  if(bundle)
    set(plugin "${bundle}")
    cmake_path(GET bundle PARENT_PATH components)
    cmake_path(GET components PARENT_PATH components)
  endif()
  if(NOT TEST ${name}_inspect)
    _mcp_plugin_host_test(${name}_inspect inspect "${plugin}")
  endif()
  if(arg_CHECK OR "CHECK" IN_LIST arg_KEYWORDS_MISSING_VALUES)
    _mcp_plugin_host_test(${name}_check check "${plugin}" ${arg_CHECK})
  endif()
  if(arg_CALL)
    list(GET arg_CALL 0 tool)
    set(test ${name}_${tool})
    set(number 1)
    while(TEST ${test} OR test STREQUAL "${name}_test" OR test STREQUAL "${name}_inspect" OR test STREQUAL "${name}_check")
      math(EXPR number "${number} + 1")
      set(test ${name}_${tool}_${number})
    endwhile()
    _mcp_plugin_host_test(${test} call --components "${components}" ${arg_CALL})
    # With the one, ctest does not look at the exit status, so the other says what is wrong all the same.
    set_tests_properties(${test} PROPERTIES
      PASS_REGULAR_EXPRESSION "${arg_RESULT}" FAIL_REGULAR_EXPRESSION "ERROR: |runtime error:")
  endif()
endfunction()

function(_mcp_plugin_unit_test name)
  if(NOT TARGET mcp_host_rules)
    message(FATAL_ERROR "add_mcp_plugin_test(${name}): tests with SOURCES need libmcp_host_rules.so, which is installed "
                        "with mcp-plugin-host and not with its plugin API alone")
  endif()
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
