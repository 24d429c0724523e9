import type { TemplatedApp } from 'uWebSockets.js'
import type { FrontMetrics } from './frontMetrics.ts'
import { addHttpRoutes, type HttpRoutes } from './http.ts'
import { listenOn } from './listener.ts'
import { monitoringHosts, monitoringProbes } from './monitoring.ts'
import { type MonitoringServer, serveMonitoring } from './monitoringServer.ts'
import type { ListenAddress } from './options.ts'
import type { SocketLibrary } from './socketLibrary.ts'
import type { TlsFiles, TlsMetadata } from './tls.ts'
import { addWebSocket, type OpenSockets } from './webSocket.ts'

/** A listening front. */
export interface Front {
  readonly host: string
  readonly port: number
  /** Address of monitoring, where it has a port of its own. */
  readonly monitoring: ListenAddress | null
  /** The metadata of the certificate of new connections; null without TLS. */
  certificate(): TlsMetadata | null
  /** Has new connections use what the files hold now. @throws TlsError, and nothing changes */
  reloadTls(files: TlsFiles): TlsMetadata
  /** Takes no further connections, ends each with its answer, and closes WebSockets with 1001. */
  stopAccepting(): void
  /** Ends listening and every connection. */
  close(): void
}

/**
 * Listens for HTTP and WebSocket on one port, and for monitoring on another where the options say so.
 * @throws ListenError, TlsError
 */
export async function listen(library: SocketLibrary, routes: HttpRoutes): Promise<Front> {
  const { options, metrics, probes } = routes
  const sockets: OpenSockets[] = []
  const monitored = options.monitoring
  const monitoring =
    monitored === null
      ? null
      : await serveMonitoring(
          monitored,
          monitoringProbes(probes, 'all'),
          monitoringHosts(monitored, options.hosts),
        )
  const endpoint = await listenOn(library, options, options.tls, (app: TemplatedApp) => {
    limitConnections(app, options.maxConnections, metrics)
    sockets.push(addWebSocket(app, routes))
    addHttpRoutes(app, routes)
  }).catch((error: unknown) => {
    monitoring?.close()
    throw error
  })
  return {
    host: options.host,
    port: endpoint.port,
    monitoring: address(options.monitoring, monitoring),
    certificate: () => endpoint.certificate(),
    reloadTls: (files) => endpoint.reloadTls(files),
    stopAccepting: () => {
      endpoint.stop()
      metrics.draining = true
      for (const open of sockets) open.drain()
    },
    close: () => {
      endpoint.close()
      monitoring?.close()
    },
  }
}

function address(asked: ListenAddress | null, server: MonitoringServer | null): ListenAddress | null {
  return asked === null || server === null ? null : { host: asked.host, port: server.port }
}

/** Counts connections and closes those that are too many. */
function limitConnections(app: TemplatedApp, most: number, metrics: FrontMetrics): void {
  const count: Parameters<TemplatedApp['filter']>[0] = (response, change) => {
    const difference = Number(change)
    metrics.connected(difference)
    if (difference < 0 || metrics.connections <= most) return
    // A pending connection would wake every tick of the event loop: a busy thread for nothing.
    metrics.refusedConnections += 1
    response.close()
  }
  app.filter(count)
}
