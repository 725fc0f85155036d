# cmake -D ESBUILD=esbuild -D IN=web/dashboard -D WORK=FOLDER -D OUT=dashboard_assets.cpp -P bundle_dashboard.cmake
# Bundles the dashboard's scripts and styles, names them after what is in them, and writes the definitions of
# web/gateway/dashboard_assets.h. The same sources make the same bytes, in whatever folder.
include(${CMAKE_CURRENT_LIST_DIR}/../scripts/lib/embed.cmake)
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
define(kDashboardDocumentDigest ${document_digest})
define(kDashboardScriptPath ${script})
define(kDashboardStylePath ${style})
define(kVerifierScriptPath ${verifier})
write_source(${OUT} web/gateway/dashboard_assets.h pixledger::web)
