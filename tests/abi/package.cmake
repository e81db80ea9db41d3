# Installs the plugin API of BUILD_DIR into a folder of its own and builds the project in SOURCE_DIR against it.
file(REMOVE_RECURSE "${WORK_DIR}")
set(prefix "${WORK_DIR}/prefix")
set(build "${WORK_DIR}/build")

# With ccache, build folders share what they compile here.
set(ENV{CCACHE_BASEDIR} "${WORK_DIR}")

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --component plugin-api --prefix "${prefix}")
run("${CMAKE_COMMAND}" -S "${SOURCE_DIR}" -B "${build}" -G "${GENERATOR}" "-DCMAKE_PREFIX_PATH=${prefix}"
    -DCMAKE_BUILD_TYPE=Release -DMCP_PLUGIN_FROM_SOURCE=ON "-DCMAKE_C_COMPILER=${C_COMPILER}" "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}"
    "-DCMAKE_C_COMPILER_LAUNCHER=${LAUNCHER}" "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}"
    "-DMCP_PLUGIN_HOST=${SOURCE_DIR}/host.sh")
run("${CMAKE_COMMAND}" --build "${build}" --parallel 2)
# A library that is compiled with a sanitizer cannot be loaded by a program that is not.
if(NOT SANITIZER)
  run("${build}/outside_test")
endif()

foreach(plugin IN ITEMS tools/outside resources/outside_c)
  run("${CMAKE_COMMAND}" "-DPLUGIN=${build}/mcp_components/${plugin}.so" "-DNM=${NM}" "-DREADELF=${READELF}"
      -P "${SYMBOLS}")
endforeach()

# Each call of a tool is a test of its own.
run("${CMAKE_CTEST_COMMAND}" --test-dir "${build}" --output-on-failure)
string(REGEX MATCHALL "Test +#[0-9]+: [a-z0-9_]+" tests "${output}")
list(TRANSFORM tests REPLACE "Test +#[0-9]+: outside_c_" "")
if(NOT tests STREQUAL "inspect;triple;triple_2;triple_3;test_2;inspect_2;address;undefined")
  message(FATAL_ERROR "these are not the tests that were added: ${tests}")
endif()

# The runtime is installed compiled by who has plain flags, and linked by who has plain flags.
function(require_compiled flags expected)
  run("${CMAKE_COMMAND}" -S "${SOURCE_DIR}" -B "${build}" -DMCP_PLUGIN_FROM_SOURCE=OFF "-DCMAKE_CXX_FLAGS=${flags}")
  if(NOT output MATCHES "The runtime is compiled: ${expected}")
    message(FATAL_ERROR "with ${flags}:\n${output}")
  endif()
endfunction()
file(GLOB_RECURSE prebuilt "${prefix}/*/McpPluginPrebuilt.cmake")
if(prebuilt)
  require_compiled("-Wall -Wextra -Wpedantic -Wlogical-op -pipe" TRUE)
  require_compiled("-O2 -fstack-protector-strong -fcf-protection -ffile-prefix-map=/a=b -Wformat -D_FORTIFY_SOURCE=2" TRUE)
  foreach(flags IN ITEMS -Wp,-D_GLIBCXX_DEBUG -Wl,-z,now -Wa,--noexecstack -D_GLIBCXX_ASSERTIONS)
    require_compiled(${flags} FALSE)
  endforeach()
endif()

set(alone "${WORK_DIR}/alone")
foreach(flags IN ITEMS -D_GLIBCXX_ASSERTIONS -fsanitize=address -Wp,-D_GLIBCXX_DEBUG -Wall)
  run("${CMAKE_COMMAND}" -S "${API_DIR}" -B "${alone}" -G "${GENERATOR}" -DCMAKE_BUILD_TYPE=Release
      "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}" "-DCMAKE_CXX_FLAGS=${flags}")
  file(GLOB prebuilt "${alone}/McpPluginPrebuilt.cmake")
  if((prebuilt AND NOT flags STREQUAL "-Wall") OR (NOT prebuilt AND flags STREQUAL "-Wall"))
    message(FATAL_ERROR "the runtime is installed compiled with ${flags}: \"${prebuilt}\"")
  endif()
endforeach()
