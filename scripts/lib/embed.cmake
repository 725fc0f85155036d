# include() this in a script that makes files part of a program:
#   embed(CONSTANT FILE)                 a std::string_view of the file's bytes
#   define(CONSTANT TEXT)                a std::string_view of the text
#   write_source(OUT HEADER NAMESPACE)   writes the definitions of HEADER, which declares these constants
# The assembler reads the files (.incbin), since compilers are slow at arrays of a million numbers. Each symbol has
# the digest of its bytes in its name, so that the source changes with them: compiler caches do not see the files.
set(embedded "")

function(embed constant file)
  file(SIZE ${file} size)
  file(SHA256 ${file} digest)
  set(symbol ${constant}_${digest})
  set(embedded "${embedded}
asm(R\"(.pushsection .rodata
${symbol}: .incbin \"${file}\"
.popsection)\");
extern \"C\" const char ${symbol}[${size}];
constinit const std::string_view ${constant}{${symbol}, sizeof ${symbol}};
" PARENT_SCOPE)
endfunction()

function(define constant text)
  set(embedded "${embedded}
constinit const std::string_view ${constant} = \"${text}\";
" PARENT_SCOPE)
endfunction()

function(write_source out header namespace)
  file(WRITE ${out} "// Written by the build.
#include \"${header}\"

namespace ${namespace} {
${embedded}
}  // namespace ${namespace}
")
endfunction()
