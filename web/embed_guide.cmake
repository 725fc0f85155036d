# cmake -D ESBUILD=esbuild -D PYTHON=python3 -D DOCS=docs -D IN=web/guide -D WORK=FOLDER -D OUT=guide_files.cpp
#   -P embed_guide.cmake
# Makes merchants' pages of the documents, and writes the definition of web/gateway/guide.h.
include(${CMAKE_CURRENT_LIST_DIR}/../scripts/lib/embed.cmake)

file(MAKE_DIRECTORY ${WORK})
execute_process(
  COMMAND ${ESBUILD} ${IN}/guide.css --bundle --minify --charset=utf8 --log-level=warning --outfile=${WORK}/guide.css
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${PYTHON} ${IN}/make_guide.py ${DOCS} ${WORK}/pages ${WORK}/guide.css COMMAND_ERROR_IS_FATAL ANY)

file(STRINGS ${WORK}/pages/list lines)
set(table "")
set(number 0)
foreach(line IN LISTS lines)
  string(REGEX MATCH "^([^ ]+) ([^ ]+)$" line "${line}")
  set(path ${CMAKE_MATCH_1})
  set(name ${CMAKE_MATCH_2})
  set(file ${WORK}/pages/${name})
  file(SHA256 ${file} digest)
  embed(kGuide${number} ${file})
  string(APPEND table "    {\"${path}\", \"${name}\", kGuide${number}, \"${digest}\"},\n")
  math(EXPR number "${number} + 1")
endforeach()
string(APPEND embedded "
namespace {
const GuideFile kFiles[] = {
${table}};
}  // namespace

std::span<const GuideFile> guide_files() { return kFiles; }
")
write_source(${OUT} web/gateway/guide.h pixledger::web)
