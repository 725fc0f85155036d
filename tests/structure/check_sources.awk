# Checks C++ sources against the arrows of docs/ARCHITECTURE.md and against house style.
# Arguments: the table of folders (`rooms`), then every C++ file of the checkout, relative to its root. Prints
# FILE:LINE: PROBLEM; status 1 if any.

BEGIN {
  # Room → the rooms it may include, and the libraries beside std and POSIX.
  rooms["base"] = "base"
  libraries["base"] = ""
  rooms["domain"] = "base domain"
  libraries["domain"] = ""
  rooms["eventstore"] = "base domain eventstore"
  libraries["eventstore"] = "lmdb flatbuffers openssl pqxx"
  rooms["projections"] = "base domain eventstore projections"
  libraries["projections"] = "lmdb"
  rooms["stores"] = "base domain eventstore projections stores"
  libraries["stores"] = "poco"
  rooms["http"] = "base domain eventstore projections stores http"
  libraries["http"] = "openssl poco-net prometheus"
  # The program that faces the world has neither ledger nor keyring.
  rooms["web"] = "base domain web"
  libraries["web"] = "openssl poco-net simdjson prometheus date"
  rooms["workers"] = "base domain eventstore projections stores workers"
  libraries["workers"] = "poco-net poco-crypto"
  rooms["tools"] = "base domain eventstore projections stores workers tools"
  libraries["tools"] = "poco-net poco-crypto qrcodegen simdjson"
  rooms["bench"] = "base domain eventstore projections stores http workers bench"
  libraries["bench"] = "any"
  rooms["tests"] = "base domain eventstore projections stores http web workers tools tests"
  libraries["tests"] = "any"

  # Header prefix → library. The longest prefix that fits counts.
  prefix["utf8proc.h"] = "utf8proc"
  prefix["lmdb.h"] = "lmdb"
  prefix["flatbuffers/"] = "flatbuffers"
  prefix["openssl/"] = "openssl"
  prefix["pqxx/"] = "pqxx"
  prefix["libpq-fe.h"] = "pqxx"
  prefix["Poco/"] = "poco"
  prefix["Poco/Net/"] = "poco-net"
  prefix["Poco/Crypto/"] = "poco-crypto"
  prefix["Poco/Data/"] = "poco-data"
  prefix["simdjson"] = "simdjson"
  prefix["rapidjson/"] = "rapidjson"
  prefix["rapidjson/document.h"] = "rapidjson-parser"
  prefix["rapidjson/pointer.h"] = "rapidjson-parser"
  prefix["rapidjson/reader.h"] = "rapidjson-parser"
  prefix["rapidjson/schema.h"] = "rapidjson-parser"
  prefix["CLI/"] = "cli11"
  prefix["date/"] = "date"
  prefix["toml++/"] = "toml++"
  prefix["qrcodegen"] = "qrcodegen"
  prefix["png.h"] = "png"
  prefix["prometheus/"] = "prometheus"
  prefix["argon2.h"] = "argon2"
  prefix["xlsxwriter.h"] = "xlsxwriter"
  prefix["sqlite3.h"] = "sqlite"
  prefix["catch2/"] = "catch2"
  prefix["rapidcheck"] = "rapidcheck"
  prefix["benchmark/"] = "benchmark"
  # POSIX, Linux and the compiler's intrinsics. A system header that is not listed is an unknown library.
  count = split("arpa/ dlfcn.h endian.h fcntl.h grp.h linux/ netdb.h netinet/ poll.h pthread.h pwd.h sched.h " \
    "signal.h spawn.h stdlib.h sys/ syslog.h termios.h time.h unistd.h ifaddrs.h net/ emmintrin.h", names, " ")
  for (i = 1; i <= count; i++) prefix[names[i]] = "posix"

  generated["eventstore/codec/events_generated.h"] = 1

  lines_max = 700
  columns_max = 120
  # Split, so that this file does not find itself.
  unfinished = "(^|[^A-Za-z0-9_])(TO" "DO|FIX" "ME|X" "XX)([^A-Za-z0-9_]|$)"

  for (i = 2; i < ARGC; i++) exists[ARGV[i]] = 1
}

# The table: FOLDER: FOLDER… of the same room, named without it.
FILENAME == ARGV[1] {
  if ($0 !~ /^[a-z]/) next
  folder = $1
  sub(/:$/, "", folder)
  below[folder] = " "
  for (i = 2; i <= NF; i++) below[folder] = below[folder] room_of(folder "/") "/" $i " "
  next
}

function problem(text) { report(FILENAME ":" FNR ": " text) }
function report(text) {
  print text
  failed = 1
}

function contains(list, word) { return index(" " list " ", " " word " ") > 0 }

function folder_of(path) {
  sub(/\/[^\/]*$/, "", path)
  return path
}
function room_of(path) { return substr(path, 1, index(path, "/") - 1) }

function library_of(header,   p, best) {
  if (header ~ /^[a-z_]+$/) return "std"
  best = ""
  for (p in prefix) if (index(header, p) == 1 && length(p) > length(best)) best = p
  return best == "" ? "unknown" : prefix[best]
}

# What a file may include beyond its room's row.
function extra_libraries(path) {
  if (path ~ /^base\/text\//) return "utf8proc"
  if (path ~ /^base\/platform\/json_reader\./) return "simdjson"
  if (path ~ /^base\/platform\//) return "openssl rapidjson date"
  if (path ~ /^base\/crypto\//) return "openssl"
  if (path ~ /^base\/net\//) return "openssl poco-net"
  if (path ~ /^base\/targets\//) return "openssl poco-net"
  if (path ~ /^base\/process\//) return "cli11 rapidjson toml++"
  if (path ~ /^base\/trace\//) return "poco-net"
  if (path ~ /^base\/http\/images\//) return "qrcodegen png"
  if (path ~ /^base\/http\/metrics\//) return "prometheus"
  if (path ~ /^base\/http\//) return "openssl poco-net simdjson"
  if (path ~ /^eventstore\/ledger_options\./) return "cli11"
  if (path ~ /^stores\/sql\/(sqlite_database|refusal)\.cpp$/) return "poco-data sqlite"
  if (path ~ /^stores\/(status|accounting)\//) return "simdjson"
  if (path ~ /^stores\/exports\/workbooks\//) return "xlsxwriter"
  if (path ~ /^http\/accounts\//) return "argon2"
  if (path ~ /^workers\/banks\//) return "simdjson openssl"
  return ""
}

function check_project_include(header) {
  if (header ~ /events_generated\.h$/ && FILENAME !~ /^eventstore\/codec\/[^\/]*\.cpp$/ && room != "tests") {
    problem("only eventstore/codec knows the bytes of events: " header)
    return
  }
  if (header ~ /^eventstore\/lmdb\/(lmdb_log[^\/]*|event_appender|lmdb_idempotency)\.h$/ && room != "tests" && \
      folder != "eventstore/lmdb" && folder != "eventstore/postgres" && FILENAME !~ /^eventstore\/ledger(_sharing|_copies)?\.(h|cpp)$/)
    problem("only eventstore/ledger knows which kind of log it is: " header)
  if (generated[header]) return
  if (!(header in exists)) {
    problem("no file of the project, written from its root: \"" header "\"")
    return
  }
  # The program whose other names are the services; what it calls them for is their main alone.
  if (FILENAME == "tools/pixledger_main.cpp" && header == "http/server_main.h") return
  if (!contains(rooms[room], room_of(header))) problem(room " must not include " room_of(header) ": " header)
  else check_folder(folder_of(header), header)
  edges[FILENAME] = edges[FILENAME] " " header
}

# Within a room. What is allowed shows whether the table itself keeps one direction.
function check_folder(target, header) {
  if (target == folder || !(folder in below) || room_of(header) != room) return
  if (!contains(below[folder], target)) problem(folder " must not include " target ": " header)
  else if (!contains(edges[folder], target)) edges[folder] = edges[folder] " " target
}

function check_system_include(header,   library) {
  if (header in exists) {
    problem("a file of the project is included with quotes: <" header ">")
    return
  }
  library = library_of(header)
  if (library == "std" || libraries[room] == "any") return
  if (library == "posix" && room != "domain") return
  if (library == "poco" && (libraries[room] " " extra_libraries(FILENAME)) ~ /poco/) return
  if (!contains(libraries[room] " " extra_libraries(FILENAME), library))
    problem(room " must not use " library ": <" header ">")
}

FNR == 1 {
  room = room_of(FILENAME)
  folder = folder_of(FILENAME)
  in_comment = 0
}

{
  if (index($0, "\t")) problem("a tab")
  width = $0
  gsub(/[\200-\277]/, "", width) # the bytes that continue a UTF-8 character
  if (length(width) > columns_max) problem("longer than " columns_max " columns")
  if ($0 ~ /[ \r]$/) problem("white space at the end of the line")
  if ($0 ~ unfinished) problem("unfinished work is finished or left out")
  if (FNR == lines_max + 1) problem("longer than " lines_max " lines: a file that is asking for a seam")
}

!(room in rooms) {
  if (FNR == 1) problem("no rule for the folder " room)
  next
}
FNR == 1 && room != "tests" && room != "bench" && !(folder in below) { problem("no rule for the folder " folder) }

/^[ ]*#[ ]*include[ ]*"/ {
  split($0, parts, "\"")
  check_project_include(parts[2])
  next
}
/^[ ]*#[ ]*include[ ]*</ {
  split($0, parts, /[<>]/)
  check_system_include(parts[2])
  next
}

room != "tests" && room != "bench" {
  code = $0
  gsub(/"([^"\\]|\\.)*"/, "\"\"", code)
  if (code ~ /^ *\/\*/) in_comment = 1
  if (in_comment) {
    if (code ~ /\*\//) in_comment = 0
    next
  }
  sub(/\/\/.*/, "", code)

  if (code ~ /CLOCK_REALTIME|system_clock|gettimeofday|[^_A-Za-z](std::)?time\((nullptr|NULL|0)\)/ && \
      FILENAME != "base/platform/clock_and_entropy.cpp")
    problem("the wall clock is read in base/platform/clock_and_entropy.cpp alone")
  if ((code ~ /getrandom|getentropy|random_device|RAND_(priv_)?bytes|[^_A-Za-z]s?rand\(/ || $0 ~ /\/dev\/u?random/) && \
      FILENAME != "base/platform/clock_and_entropy.cpp")
    problem("entropy is drawn in base/platform/clock_and_entropy.cpp alone")
  if (code ~ /mdb_(del|cursor_del|drop)[^_A-Za-z0-9]/ && room != "projections" && \
      FILENAME !~ /^eventstore\/lmdb\/lmdb_(idempotency[^\/]*|log_erase|scrub)\.cpp$/)
    problem("events are never deleted; only eventstore/lmdb/lmdb_{idempotency*,log_erase,scrub}.cpp and projections delete")
}

# Depth first over who includes whom; a file or folder met again on the way down closes a cycle.
function visit(node, way,   list, count, i) {
  state[node] = "open"
  count = split(edges[node], list, " ")
  for (i = 1; i <= count; i++) {
    if (state[list[i]] == "open") report(node ": includes itself again by way of " way " → " list[i])
    else if (state[list[i]] == "") visit(list[i], way " → " list[i])
  }
  state[node] = "done"
}

END {
  for (i = 2; i < ARGC; i++) if (state[ARGV[i]] == "") visit(ARGV[i], ARGV[i])
  for (i = 2; i < ARGC; i++) {
    folder = folder_of(ARGV[i])
    if (state[folder] == "") visit(folder, folder)
  }
  exit failed
}
