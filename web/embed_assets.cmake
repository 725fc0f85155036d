# cmake -D ESBUILD=PROGRAM -D IN=FOLDER -D WORK=FOLDER -D OUT=assets.cpp -P embed_assets.cmake
# Writes the definitions of web/site/pages/assets.h. Comments and blanks are for readers of the sources.
include(${CMAKE_CURRENT_LIST_DIR}/../scripts/lib/embed.cmake)
set(names pay.css pay.js button.js)
set(constants kPayStyle kPayScript kButtonScript)
foreach(name constant IN ZIP_LISTS names constants)
  if(name MATCHES "\\.js$")
    execute_process(COMMAND ${ESBUILD} --minify --charset=utf8 ${IN}/${name} OUTPUT_VARIABLE text
                    COMMAND_ERROR_IS_FATAL ANY)
  else()
    file(READ ${IN}/${name} text)
  endif()
  string(REGEX REPLACE "\n *//[^\n]*" "" text "\n${text}")
  string(REGEX REPLACE "\n+ *" "\n" text "${text}")
  string(REGEX REPLACE "^\n" "" text "${text}")
  file(WRITE ${WORK}/${name} "${text}")
  embed(${constant} ${WORK}/${name})
endforeach()
write_source(${OUT} web/site/pages/assets.h pixledger::web)
