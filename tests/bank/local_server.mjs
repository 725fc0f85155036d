// An HTTP server for this machine alone, on whatever port is free.
import http from 'node:http';

export class LocalServer {
  #server;

  // serve: (request, response), as Node gives them.
  constructor(serve) {
    this.#server = http.createServer(serve);
  }

  // Resolves to the port.
  async listen() {
    await new Promise((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve);
    });
    return this.#server.address().port;
  }

  close() {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
