# cmake -D PAGES=FOLDER -D TOOLS=tools.json -D OUT=documents.cpp -P embed_documents.cmake
# Writes the definition of tools/mcp/documents.h from the guide's pages as Markdown with their list, and TOOLS.
include(${CMAKE_CURRENT_LIST_DIR}/../scripts/lib/embed.cmake)

file(STRINGS ${PAGES}/list lines REGEX "\\.md$")
set(table "")
set(number 0)
foreach(line IN LISTS lines)
  string(REGEX MATCH "^([^ ]+) ([^ ]+)$" line "${line}")
  embed(kDocument${number} ${PAGES}/${CMAKE_MATCH_2})
  string(APPEND table "    {\"${CMAKE_MATCH_1}\", kDocument${number}},\n")
  math(EXPR number "${number} + 1")
endforeach()
embed(kTools ${TOOLS})
string(APPEND embedded "
namespace {
const DocumentPage kPages[] = {
${table}};
}  // namespace

std::span<const DocumentPage> document_pages() { return kPages; }

std::string_view mcp_tool_definitions() { return kTools; }
")
write_source(${OUT} tools/mcp/documents.h pixledger::tools)
