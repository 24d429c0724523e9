import type { TemplatedApp } from 'uWebSockets.js'
import { FrontTally } from './frontTally.ts'
import { addHttpRoutes, type HttpRoutes } from './http.ts'
import { type Listener, listenOn } from './listener.ts'
import { addMonitoringRoutes, monitoringHosts } from './monitoring.ts'
import type { ListenAddress } from './options.ts'
import type { SocketLibrary } from './socketLibrary.ts'
import type { TlsFacts, TlsFiles } from './tls.ts'
import { addWebSocket, type OpenSockets } from './webSocket.ts'

/** Connections to the port of monitoring: a part of the descriptors that the endpoint leaves. */
const MOST_MONITORS = 32

/** A listening front. */
export interface Front {
  readonly host: string
  readonly port: number
  /** Where monitoring has a port of its own. */
  readonly monitoring: ListenAddress | null
  /** Has new connections use what the files hold now. @throws TlsError, and nothing changes */
  reloadTls(files: TlsFiles): TlsFacts
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
  const { options, tally, probes } = routes
  const sockets: OpenSockets[] = []
  const place = options.monitoring
  const monitoring =
    place === null
      ? null
      : await listenOn(library, place, null, (app) => {
          limitConnections(app, MOST_MONITORS, new FrontTally())
          addMonitoringRoutes(app, probes, 'all', routes.loop, monitoringHosts(place, options.hosts))
        })
  const endpoint = await listenOn(library, options, options.tls, (app: TemplatedApp) => {
    limitConnections(app, options.maxConnections, tally)
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
    reloadTls: (files) => endpoint.reloadTls(files),
    stopAccepting: () => {
      endpoint.stop()
      tally.draining = true
      for (const open of sockets) open.drain()
    },
    close: () => {
      endpoint.close()
      monitoring?.close()
    },
  }
}

function address(asked: ListenAddress | null, listener: Listener | null): ListenAddress | null {
  return asked === null || listener === null ? null : { host: asked.host, port: listener.port }
}

/** Counts connections and closes those that are too many. */
function limitConnections(app: TemplatedApp, most: number, tally: FrontTally): void {
  const count: Parameters<TemplatedApp['filter']>[0] = (response, change) => {
    const difference = Number(change)
    tally.connected(difference)
    if (difference < 0 || tally.connections <= most) return
    // Left waiting it would be found again by every turn: a busy thread, and nothing gained.
    tally.refusedConnections += 1
    response.close()
  }
  app.filter(count)
}
