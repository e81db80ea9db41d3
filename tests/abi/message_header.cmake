# Precompiles the header that most of messages/ begin with, for each of COMPILERS: in DIRECTORY/0, DIRECTORY/1, and so on.
set(header "mcp/plugin/typed.hpp")
set(number 0)
foreach(compiler IN LISTS COMPILERS)
  set(target "${DIRECTORY}/${number}/${header}.gch")
  cmake_path(GET target PARENT_PATH folder)
  file(MAKE_DIRECTORY "${folder}")
  execute_process(
    COMMAND "${compiler}" -std=c++20 -x c++-header "-I${INCLUDE_DIR}" -idirafter "${JSON_INCLUDE_DIR}"
            "${INCLUDE_DIR}/${header}" -o "${target}"
    RESULT_VARIABLE status ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${compiler} does not precompile ${header}:\n${output}")
  endif()
  math(EXPR number "${number} + 1")
endforeach()
