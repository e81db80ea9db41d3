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
endfunction()

run("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --component plugin-api --prefix "${prefix}")
run("${CMAKE_COMMAND}" -S "${SOURCE_DIR}" -B "${build}" -G "${GENERATOR}" "-DCMAKE_PREFIX_PATH=${prefix}"
    -DCMAKE_BUILD_TYPE=Release "-DCMAKE_C_COMPILER=${C_COMPILER}" "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}"
    "-DCMAKE_C_COMPILER_LAUNCHER=${LAUNCHER}" "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}")
run("${CMAKE_COMMAND}" --build "${build}" --parallel 2)
run("${build}/outside_test")

foreach(plugin IN ITEMS tools/outside resources/outside_c)
  run("${CMAKE_COMMAND}" "-DPLUGIN=${build}/mcp_components/${plugin}.so" "-DNM=${NM}" "-DREADELF=${READELF}"
      -P "${SYMBOLS}")
endforeach()
