import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isAllowedHost } from './checks.ts'
import { ListenError } from './listener.ts'
import { answerOf, type MonitoringAnswer, type MonitoringProbe, NOTHING, READY } from './monitoring.ts'
import type { ListenAddress } from './options.ts'
import { BAD_HOST } from './refuseRequest.ts'

/** Open connections: a part of the descriptors that the endpoint leaves. */
const MAX_MONITORS = 32
/** Milliseconds that a request may take to arrive, and period of the check. */
const REQUEST_TIMEOUT_MILLISECONDS = 10_000
const TIMEOUT_LOOK_MILLISECONDS = 5000
const MAX_HEADER_BYTES = 8192

/** The port of monitoring. */
export interface MonitoringServer {
  readonly port: number
  /** Ends listening and every connection. */
  close(): void
}

/**
 * Serves monitoring on a port of its own, by the HTTP of Node: HAProxy and nginx ask by HTTP/1.0 unless configured otherwise,
 * which the socket library of the endpoint refuses. `OPTIONS` anywhere, which is what HAProxy asks without a path, is
 * answered as `/ready`.
 * @param hosts names that a `Host` header may have besides IP addresses
 * @throws ListenError
 */
export async function serveMonitoring(
  address: ListenAddress,
  probes: ReadonlyMap<string, MonitoringProbe>,
  hosts: readonly string[],
): Promise<MonitoringServer> {
  const server = createServer(
    {
      headersTimeout: REQUEST_TIMEOUT_MILLISECONDS,
      requestTimeout: REQUEST_TIMEOUT_MILLISECONDS,
      connectionsCheckingInterval: TIMEOUT_LOOK_MILLISECONDS,
      maxHeaderSize: MAX_HEADER_BYTES,
      // Checks without one are common, and browsers always send it.
      requireHostHeader: false,
    },
    (request, response) => void answer(request, response, probes, hosts),
  )
  server.maxConnections = MAX_MONITORS
  await listening(server, address)
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function listening(server: Server, address: ListenAddress): Promise<void> {
  server.listen(address.port, address.host)
  try {
    await once(server, 'listening')
  } catch {
    throw new ListenError(address)
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  probes: ReadonlyMap<string, MonitoringProbe>,
  hosts: readonly string[],
): Promise<void> {
  if (!isAllowedHost(hosts, request.headers.host ?? '')) {
    send(response, { status: 400, type: 'text/plain', body: BAD_HOST }, true)
    return
  }
  const probe = probes.get(pathOf(request))
  if (probe === undefined) send(response, NOTHING, true)
  else send(response, await answerOf(probe), false)
}

/** The path of a question, empty for what is none. */
function pathOf({ method, url = '' }: IncomingMessage): string {
  if (method === 'OPTIONS') return READY
  return method === 'GET' || method === 'HEAD' ? (url.split('?', 1)[0] ?? '') : ''
}

/** @param ends whether the connection ends with the answer, with whatever body the request had */
function send(response: ServerResponse, { status, type, body }: MonitoringAnswer, ends: boolean): void {
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    ...(ends ? { Connection: 'close' } : {}),
  })
  response.end(body)
}
