/** An API that only says it is well. */
import { createServer } from 'node:http';
import { loadServiceConfig } from '../../config/config.ts';

const config = loadServiceConfig();
const server = createServer((request, response) => {
  response.writeHead(request.url === '/healthz' ? 200 : 404).end();
});
server.listen(config.apiPort ?? 0, config.apiHost);
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
