// A port at which nobody listens, for what must be told one before it listens.
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

// Below those that the system gives to who asks for any port (ip_local_port_range), tests that run at the same time
// among them: until it is used, one of these would often be gone again.
export async function freePort() {
  for (;;) {
    const server = createServer().listen(randomInt(20_000, 32_768), '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch (error) {
      if (error.code === 'EADDRINUSE') continue;
      throw error;
    }
    const { port } = server.address();
    server.close();
    await once(server, 'close');
    return port;
  }
}
