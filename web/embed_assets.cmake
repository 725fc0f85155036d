# cmake -D ESBUILD=PROGRAM -D IN=FOLDER -D OUT=assets.cpp -P embed_assets.cmake
# Writes the definitions of web/pages/assets.h. Comments and blanks are for readers of the sources.
set(names pay.css pay.js button.js)
set(kConstants kPayStyle kPayScript kButtonScript)
set(definitions "")
foreach(name constant IN ZIP_LISTS names kConstants)
  if(name MATCHES "\\.js$")
    execute_process(COMMAND ${ESBUILD} --minify --charset=utf8 ${IN}/${name} OUTPUT_VARIABLE text
                    COMMAND_ERROR_IS_FATAL ANY)
  else()
    file(READ ${IN}/${name} text)
  endif()
  string(REGEX REPLACE "\n *//[^\n]*" "" text "\n${text}")
  string(REGEX REPLACE "\n+ *" "\n" text "${text}")
  string(REGEX REPLACE "^\n" "" text "${text}")
  string(HEX "${text}" hex)
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
  string(APPEND definitions "constexpr char ${constant}Bytes[] = {\n${bytes}};\n")
  string(APPEND exports "const std::string_view ${constant}{${constant}Bytes, sizeof ${constant}Bytes};\n")
endforeach()
file(WRITE ${OUT} "// Written by the build from web/assets/.
#include \"web/pages/assets.h\"

namespace pixledger::web {
namespace {

${definitions}
}  // namespace

${exports}
}  // namespace pixledger::web
")
