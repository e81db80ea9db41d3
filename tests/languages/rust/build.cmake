# Builds the package in this folder with CARGO, in the folder CRATES, puts tutorial.so into FOLDER and interfaces.so into
# FIXTURES, and touches the file BUILT. If the crates that it needs cannot be had, it says so in the file MISSING instead: without a network nothing else is
# wrong.
file(REMOVE "${MISSING}")
set(ENV{CARGO_TARGET_DIR} "${CRATES}")
execute_process(COMMAND "${CARGO}" fetch RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(failed)
  file(WRITE "${MISSING}" "skipped: cargo cannot get the crates that plugins in Rust need; build again where it can:\n${output}")
  message("The plugin in Rust is not built, and its tests are skipped: cargo cannot get the crates that it needs.")
  return()
endif()
execute_process(COMMAND "${CARGO}" build --release --offline --lib --examples COMMAND_ERROR_IS_FATAL ANY)
file(MAKE_DIRECTORY "${FOLDER}")
# Renamed, so that a host which serves the folder never finds half of it.
file(COPY_FILE "${CRATES}/release/libtutorial.so" "${FOLDER}/.tutorial.so.new")
file(RENAME "${FOLDER}/.tutorial.so.new" "${FOLDER}/tutorial.so")
file(MAKE_DIRECTORY "${FIXTURES}")
file(COPY_FILE "${CRATES}/release/examples/libinterfaces.so" "${FIXTURES}/interfaces.so")
file(TOUCH "${BUILT}")
