# Compiles HEADER alone with COMPILER (gcc or clang) as STANDARD, warnings being errors.
if(STANDARD MATCHES "^c\\+\\+")
  set(language c++)
else()
  set(language c)
endif()
find_program(compiler NAMES ${COMPILER} NO_CACHE)
if(NOT compiler)
  message("skipped: ${COMPILER} is not installed")
  return()
endif()
execute_process(
  COMMAND "${compiler}" -x ${language} -std=${STANDARD} -pedantic-errors -Wall -Wextra -Wpedantic -Wshadow -Wconversion
          -Werror -fsyntax-only "-I${INCLUDE_DIR}" -include ${HEADER} /dev/null
  RESULT_VARIABLE status ERROR_VARIABLE errors)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${HEADER} does not compile alone with ${COMPILER} as ${STANDARD}:\n${errors}")
endif()
