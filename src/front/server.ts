import type { TemplatedApp } from 'uWebSockets.js'
import { addHttpRoutes, type HttpRoutes } from './http.ts'
import { type Listener, listenOn } from './listener.ts'
import { addMonitoringRoutes } from './monitoring.ts'
import type { ListenAddress } from './options.ts'
import type { TlsFacts, TlsFiles } from './tls.ts'
import { addWebSocket, type OpenSockets } from './webSocket.ts'

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
export async function listen(routes: HttpRoutes): Promise<Front> {
  const { options, tally, probes } = routes
  const sockets: OpenSockets[] = []
  const monitoring =
    options.monitoring === null
      ? null
      : await listenOn(options.monitoring, null, (app) => {
          addMonitoringRoutes(app, probes, 'all')
        })
  const endpoint = await listenOn(options, options.tls, (app: TemplatedApp) => {
    app.filter((_, change) => tally.connected(change))
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
