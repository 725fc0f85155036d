// The yardstick for the transport: stock Poco::Net::HTTPServer whose handler sends one fixed JSON body.
//
//     bench_bare_poco --port-file FILE [--body-bytes 600] [--threads 128]
//
// Listens on a free port of 127.0.0.1, writes its number into FILE and serves until SIGTERM or SIGINT.

#include <Poco/Net/HTTPRequestHandler.h>
#include <Poco/Net/HTTPRequestHandlerFactory.h>
#include <Poco/Net/HTTPServer.h>
#include <Poco/Net/HTTPServerRequest.h>
#include <Poco/Net/HTTPServerResponse.h>
#include <Poco/Net/ServerSocket.h>
#include <Poco/ThreadPool.h>
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

using Poco::Net::HTTPServerRequest;
using Poco::Net::HTTPServerResponse;

class FixedBody final : public Poco::Net::HTTPRequestHandler {
 public:
  explicit FixedBody(const std::string& body) : body_(body) {}

  void handleRequest(HTTPServerRequest&, HTTPServerResponse& response) override {
    response.setContentType("application/json");
    response.sendBuffer(body_.data(), body_.size());
  }

 private:
  const std::string& body_;
};

class FixedBodyFactory final : public Poco::Net::HTTPRequestHandlerFactory {
 public:
  explicit FixedBodyFactory(std::string body) : body_(std::move(body)) {}

  Poco::Net::HTTPRequestHandler* createRequestHandler(const HTTPServerRequest&) override {
    return new FixedBody(body_);
  }

 private:
  const std::string body_;
};

struct Flags {
  std::string port_file;
  std::size_t body_bytes = 600;
  int threads = 128;
};

Flags parse_flags(int argc, char** argv) {
  Flags flags;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const std::string value = argv[i + 1];
    if (name == "--port-file") {
      flags.port_file = value;
    } else if (name == "--body-bytes") {
      flags.body_bytes = std::stoul(value);
    } else if (name == "--threads") {
      flags.threads = std::stoi(value);
    } else {
      throw std::invalid_argument("unknown flag " + std::string(name));
    }
  }
  if (flags.port_file.empty()) throw std::invalid_argument("--port-file is missing");
  return flags;
}

// A JSON object of exactly that many bytes, if it is not too short for one.
std::string json_of(std::size_t bytes) {
  const std::string frame = R"({"data":""})";
  const std::size_t filling = bytes - std::min(bytes, frame.size());
  return R"({"data":")" + std::string(filling, 'x') + R"("})";
}

void serve(const Flags& flags, const sigset_t& until) {
  Poco::Net::HTTPServerParams::Ptr params = new Poco::Net::HTTPServerParams;
  params->setMaxThreads(flags.threads);
  params->setMaxQueued(flags.threads);
  params->setKeepAlive(true);
  params->setMaxKeepAliveRequests(0);

  Poco::ThreadPool threads(flags.threads, flags.threads + 1);
  const Poco::Net::ServerSocket socket(Poco::Net::SocketAddress("127.0.0.1", 0));
  Poco::Net::HTTPServer server(new FixedBodyFactory(json_of(flags.body_bytes)), threads, socket, params);
  server.start();
  std::ofstream(flags.port_file) << socket.address().port() << '\n';

  int signal = 0;
  sigwait(&until, &signal);
  server.stopAll(true);
  threads.joinAll();
}

}  // namespace

int main(int argc, char** argv) {
  // Blocked before any thread starts, so that only sigwait takes them.
  sigset_t until;
  sigemptyset(&until);
  sigaddset(&until, SIGTERM);
  sigaddset(&until, SIGINT);
  pthread_sigmask(SIG_BLOCK, &until, nullptr);
  try {
    serve(parse_flags(argc, argv), until);
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::cerr << "bench_bare_poco: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
