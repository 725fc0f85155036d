# cmake -D ESBUILD=esbuild -D IN=web/dashboard -D WORK=FOLDER -D OUT=dashboard_assets.cpp -P bundle_dashboard.cmake
# Bundles the dashboard's scripts and styles, names them after what is in them, and writes the definitions of
# web/gateway/dashboard_assets.h. The same sources make the same bytes, in whatever folder.
set(browsers chrome109,firefox115,safari16.4)

function(bundle entry out)
  execute_process(
    COMMAND ${ESBUILD} ${entry} --bundle --minify --charset=utf8 --legal-comments=none --log-level=warning
      --target=${browsers} --outfile=${out} ${ARGN}
    WORKING_DIRECTORY ${IN} RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "esbuild cannot bundle ${entry}")
  endif()
endfunction()

# Bytes of a constant, and those that name it.
function(embed constant file)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
  set(definitions "${definitions}constexpr char ${constant}Bytes[] = {\n${bytes}};\n" PARENT_SCOPE)
  set(exports "${exports}const std::string_view ${constant}{${constant}Bytes, sizeof ${constant}Bytes};\n" PARENT_SCOPE)
endfunction()

function(name_by_content file name suffix variable)
  file(SHA256 ${file} digest)
  string(SUBSTRING ${digest} 0 16 digest)
  set(${variable} "/assets/${name}-${digest}.${suffix}" PARENT_SCOPE)
endfunction()

file(MAKE_DIRECTORY ${WORK})
# The verifier is a script of its own, which the dashboard fetches to write it into a file to keep.
bundle(verifier/standalone.tsx ${WORK}/verifier.js --format=iife)
name_by_content(${WORK}/verifier.js verifier js verifier)
bundle(main.tsx ${WORK}/dashboard.js --format=iife "--define:VERIFIER_PATH=\"${verifier}\"")
bundle(dashboard.css ${WORK}/dashboard.css)
name_by_content(${WORK}/dashboard.js dashboard js script)
name_by_content(${WORK}/dashboard.css dashboard css style)
file(READ ${IN}/index.html document)
string(REPLACE "{{script}}" ${script} document "${document}")
string(REPLACE "{{style}}" ${style} document "${document}")
file(WRITE ${WORK}/index.html "${document}")
file(SHA256 ${WORK}/index.html document_digest)

embed(kDashboardDocument ${WORK}/index.html)
embed(kDashboardScript ${WORK}/dashboard.js)
embed(kDashboardStyle ${WORK}/dashboard.css)
embed(kVerifierScript ${WORK}/verifier.js)
file(WRITE ${OUT} "// Written by the build from web/dashboard/.
#include \"web/gateway/dashboard_assets.h\"

namespace pixledger::web {
namespace {

${definitions}
}  // namespace

${exports}const std::string_view kDashboardDocumentDigest = \"${document_digest}\";
const std::string_view kDashboardScriptPath = \"${script}\";
const std::string_view kDashboardStylePath = \"${style}\";
const std::string_view kVerifierScriptPath = \"${verifier}\";

}  // namespace pixledger::web
")
