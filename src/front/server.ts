import { App, type us_listen_socket, us_listen_socket_close, us_socket_local_port } from 'uWebSockets.js'
import { addHttpRoutes, type HttpRoutes } from './http.ts'
import { addWebSocket } from './webSocket.ts'

/** Without it the system lets several processes share a port without any of them noticing. */
const EXCLUSIVE_PORT = 1

/** The form with host and options, which the library takes but does not declare. */
type ListenWithOptions = (
  host: string,
  port: number,
  options: number,
  listening: (socket: us_listen_socket | false) => void,
) => void

/** A listening front. */
export interface Front {
  readonly host: string
  readonly port: number
  /** Ends listening and every connection. */
  close(): void
}

/** The port could not be taken. */
export class ListenError extends Error {
  override readonly name = 'ListenError'
  readonly code = 'LISTEN_FAILED'
  readonly host: string
  readonly port: number

  constructor(host: string, port: number) {
    super(`cannot listen on ${host}:${port}: is the port in use?`)
    this.host = host
    this.port = port
  }
}

/**
 * Listens for HTTP and WebSocket on one port.
 * @throws ListenError
 */
export function listen(routes: HttpRoutes): Promise<Front> {
  const { host, port } = routes.options
  const app = App()
  addWebSocket(app, routes)
  addHttpRoutes(app, routes)
  return new Promise((resolve, reject) => {
    const listening = (socket: us_listen_socket | false) => {
      if (socket === false) {
        reject(new ListenError(host, port))
        return
      }
      resolve({
        host,
        port: us_socket_local_port(socket),
        close: () => {
          us_listen_socket_close(socket)
          app.close()
        },
      })
    }
    const listenAlone = app.listen.bind(app) as unknown as ListenWithOptions
    listenAlone(host, port, EXCLUSIVE_PORT, listening)
  })
}
