import type { TemplatedApp } from 'uWebSockets.js'
import type { FrontMetrics } from './frontMetrics.ts'
import { addHttpRoutes, type HttpRoutes } from './http.ts'
import { type Listener, listenOn } from './listener.ts'
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
  /** Has another front answer what comes over connections that are open: clients keep them. Nothing is accepted by then. */
  handOver(next: Pick<Front, 'listener' | 'earlier'>): void
  /** Ends listening and every connection, but its own that were handed over. */
  close(): void
  readonly listener: Listener
  /** Fronts with connections that this one answers. */
  readonly earlier: EarlierFront[]
}

/** A front whose connections another one answers. They count there, too, and end with it. */
interface EarlierFront {
  readonly listener: Listener
  /** Those that are open. */
  connections(): number
}

/**
 * Listens for HTTP and WebSocket on one port, and for monitoring on another where the options say so.
 * @throws ListenError, TlsError
 */
export async function listen(library: SocketLibrary, routes: HttpRoutes): Promise<Front> {
  const { options, metrics, probes } = routes
  const sockets: OpenSockets[] = []
  const earlier: EarlierFront[] = []
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
    limitConnections(app, options.maxConnections, metrics, earlier)
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
    listener: endpoint,
    earlier,
    handOver: (next) => {
      // A front that nobody has a connection to any more would be held for each hand-over otherwise.
      for (const front of [
        ...earlier.splice(0),
        { listener: endpoint, connections: () => metrics.connections },
      ]) {
        front.listener.handOver(next.listener)
        if (front.connections() > 0) next.earlier.push(front)
        else front.listener.end()
      }
    },
    close: () => {
      endpoint.close()
      for (const front of earlier.splice(0)) front.listener.end()
      monitoring?.close()
    },
  }
}

function address(asked: ListenAddress | null, server: MonitoringServer | null): ListenAddress | null {
  return asked === null || server === null ? null : { host: asked.host, port: server.port }
}

/** Counts connections and closes those that are too many, with those of earlier fronts. */
function limitConnections(
  app: TemplatedApp,
  most: number,
  metrics: FrontMetrics,
  earlier: readonly EarlierFront[],
): void {
  const count: Parameters<TemplatedApp['filter']>[0] = (response, change) => {
    const difference = Number(change)
    metrics.connected(difference)
    if (difference < 0) return
    let open = metrics.connections
    for (const front of earlier) open += front.connections()
    if (open <= most) return
    // A pending connection would wake every tick of the event loop: a busy thread for nothing.
    metrics.refusedConnections += 1
    response.close()
  }
  app.filter(count)
}
