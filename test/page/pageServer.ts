import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

/** Serves an empty page, and files by their path, on a free port of loopback until the test ends. Its port. */
export async function servePages(t: Test, files: Readonly<Record<string, string>> = {}): Promise<number> {
  const server = createServer((request, response) => {
    const script = files[request.url ?? '/']
    response.setHeader('Content-Type', script === undefined ? 'text/html' : 'text/javascript')
    response.end(script ?? '<!doctype html><title>a page</title><p>A page')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}
