# cmake -D IN=FOLDER -D OUT=assets.cpp -P embed_assets.cmake
# Writes the definitions of web/pages/assets.h. Lines that are comments, and blanks before a line, are for who reads the
# sources.
set(names pay.css pay.js button.js)
set(kConstants kPayStyle kPayScript kButtonScript)
set(definitions "")
foreach(name constant IN ZIP_LISTS names kConstants)
  file(READ ${IN}/${name} text)
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
