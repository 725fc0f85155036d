# Every Debian package that the project needs, with its reason. Read by common.sh.
# shellcheck shell=bash disable=SC2034

packages_build=(
  g++ cmake ninja-build pkg-config   # compile
  ccache                             # makes a second build of the same sources quick
  libpoco-dev                        # POCO: HTTP server and client, TLS, SQLite sessions
  libsqlite3-dev                     # the workers' databases, which Poco::Data opens
  liblmdb-dev                        # the ledger and the read models
  libflatbuffers-dev                 # the stored form of events …
  flatbuffers-compiler               # … and flatc, which writes its accessors
  libssl-dev                         # hashes, sealing, signatures, TLS
  libargon2-dev                      # hashes passwords; OpenSSL 3.0 has no Argon2
  libsimdjson-dev                    # reads JSON
  rapidjson-dev                      # writes JSON
  libcli11-dev                       # flags and environment
  libtomlplusplus-dev                # reads the configuration file: TOML 1.0, with the place of each mistake
  libutf8proc-dev                    # case and accent folding
  prometheus-cpp-dev                 # the metrics' registry and text format
  libhowardhinnant-date-dev          # time zones, from tzdata
  libqrcodegencpp-dev                # QR codes …
  libpng-dev                         # … as images that e-mails and printers take
  libxlsxwriter-dev                  # tables for people, as xlsx
  esbuild                            # makes one script of the dashboard's TypeScript
  python3-markdown                   # makes pages of the dashboard of merchants' documents
  libpqxx-dev                        # a ledger that several machines share, in PostgreSQL …
  libpq-dev                          # … and what reads its URI
  catch2 librapidcheck-dev           # tests; the build configures them with everything else
)

packages_run=(
  tzdata                             # the days of stores in other zones than UTC
  curl                               # the demo calls the API as a merchant would
)

packages_test=(
  age                                # opens what is encrypted for it, and encrypts
  openssl                            # an independent check of hashes, signatures and certificates
  jq                                 # readers of the handbooks take answers apart with it
  ca-certificates                    # npm and curl verify TLS
  clang-format                       # the format check
  clang-14 libclang-rt-14-dev        # libFuzzer, and a second compiler's opinion
  python3 python3-aiosmtpd           # a real mail server, and a MIME parser to read what it got
  mypy                               # checks the types of the Python SDK
  php-cli php-curl php-sqlite3       # run PHP's SDK, its shop, and the receiver of verify-webhooks.md …
  composer php-zip                   # … which a merchant installs with it, from an archive, too
  python3-venv                       # installs the Python SDK as a merchant does
  php-phpstan-phpdoc-parser          # reads the types in the comments of PHP's, as phpstan does
  chromium                           # opens payers' pages
)

packages_sdk=(
  python3-setuptools python3-wheel   # make Python's archives
  zip                                # makes PHP's
)

packages_long_test=(
  firefox-esr                        # opens them, too …
  webkit2gtk-driver xvfb             # … and so does the nearest to iPhones' browser, on a virtual screen
)

packages_pictures=(
  gcc libc6-dev                      # compile what decides the programs' time and randomness
  chromium                           # shows their pages, and writes WebP
)

packages_package=(
  dpkg-dev file                      # which libraries the package depends on
  python3                            # makes manual pages and completion from --help
)

packages_image=(
  mmdebstrap                         # makes a root file system of Debian's packages …
  buildah                            # … and an image of that
  uidmap                             # both without root
  jq                                 # writes the image's description anew
)

packages_package_test=(
  systemd                            # makes user and directory, and checks the units
  bubblewrap                         # runs their programs within their restrictions
  python3-yaml                       # reads the container's and the workflow's files
)

# For shared ledgers. Unpacked, like the following; libxml2 and ICU are its libraries.
packages_postgres=(postgresql-15 postgresql-client-15 libxml2 libicu72)

# Also started by scripts/cluster, with Patroni's dependencies.
packages_cluster=(
  etcd-server patroni python3-cdiff python3-click python3-dateutil python3-dnspython python3-etcd python3-pkg-resources
  python3-prettytable python3-psutil python3-psycopg2 python3-six python3-urllib3 python3-wcwidth python3-yaml
)

# Fetched and unpacked into build/unpacked, not installed: their services should not run on the machine.
packages_unpacked=(
  prometheus                         # promtool checks the alert rules and the dashboard
  mandoc                             # checks the manual pages
  haproxy liblua5.3-0 libopentracing1 libopentracing-c-wrapper0 # runs the example before a real server
  nginx libnginx-mod-http-echo       # runs the other example; together nginx-light
  slowhttptest                       # slow clients, by the thousand
)

packages_docs=(
  mkdocs mkdocs-material             # make the documents a site that can be searched
)
# As the above: scripts/pictures gives it to Chromium alone, so that the machine's typefaces make no difference.
packages_pictures_unpacked=(fonts-inter)

# Only if no Node ≥ 20.19 is installed: Debian's own is older, but its npm can fetch a newer one.
packages_node=(nodejs npm)

packages_bench=(
  libbenchmark-dev                   # microbenchmarks
  wrk                                # HTTP load
  postgresql-15                      # the peer's database
  curl                               # waits until a server answers
)

# As the above.
packages_bench_unpacked=(
  nginx                              # the speed of a server that does nothing
)

packages_webhook_bench=(
  nginx-light                        # a receiver that costs little
  openssl                            # its certificate
  curl                               # waits until it answers
)
