import {
  App,
  SSLApp,
  type TemplatedApp,
  type us_listen_socket,
  us_listen_socket_close,
  us_socket_local_port,
} from 'uWebSockets.js'
import type { ListenAddress } from './options.ts'
import { checkTlsFiles, TlsError, type TlsFacts, type TlsFiles } from './tls.ts'

/** Without it the system lets several processes share a port without any of them noticing. */
const EXCLUSIVE_PORT = 1

/** What the library takes but does not declare: a form of listening, and apps that take over accepted connections. */
interface Undeclared {
  listen(
    host: string,
    port: number,
    options: number,
    listening: (socket: us_listen_socket | false) => void,
  ): void
  getDescriptor(): unknown
  addChildAppDescriptor(descriptor: unknown): void
  removeChildAppDescriptor(descriptor: unknown): void
}

/** A port that listens. */
export interface Listener {
  readonly port: number
  /**
   * Has new connections use what the files of certificate and key hold now; open ones stay as they are.
   * @throws TlsError, and new connections go on with the files from before
   */
  reloadTls(files: TlsFiles): TlsFacts
  /** Takes no further connections. */
  stop(): void
  /** Ends listening and every connection. */
  close(): void
}

/** The port could not be taken. */
export class ListenError extends Error {
  override readonly name = 'ListenError'
  readonly code = 'LISTEN_FAILED'
  readonly host: string
  readonly port: number

  constructor({ host, port }: ListenAddress) {
    super(`cannot listen on ${host}:${port}: is the port in use?`)
    this.host = host
    this.port = port
  }
}

/**
 * Listens on a port.
 *
 * Under TLS one app accepts connections and hands them to another, which has the certificate: a new certificate is
 * a new app that gets the connections from then on, so that none is lost and none is closed. Both are apps of the
 * same kind, TLS or not: a plain acceptor would reserve too little memory for the sockets that a TLS app takes over.
 * @param addRoutes called with every app that answers
 * @throws ListenError, TlsError
 */
export async function listenOn(
  address: ListenAddress,
  tls: TlsFiles | null,
  addRoutes: (app: TemplatedApp) => void,
): Promise<Listener> {
  const acceptor = tls === null ? App() : createTlsApp(tls).app
  const apps = new Set<TemplatedApp>()
  let current: TemplatedApp | null = null
  const useTls = (files: TlsFiles): TlsFacts => {
    const { app, facts } = createTlsApp(files)
    addRoutes(app)
    apps.add(app)
    undeclared(acceptor).addChildAppDescriptor(undeclared(app).getDescriptor())
    if (current !== null) retire(acceptor, current)
    current = app
    return facts
  }
  if (tls === null) addRoutes(acceptor)
  else useTls(tls)
  const socket = await new Promise<us_listen_socket | false>((resolve) => {
    undeclared(acceptor).listen(address.host, address.port, EXCLUSIVE_PORT, resolve)
  })
  if (socket === false) throw new ListenError(address)
  let isListening = true
  const stop = () => {
    if (isListening) us_listen_socket_close(socket)
    isListening = false
  }
  return {
    port: us_socket_local_port(socket),
    reloadTls: (files) => {
      if (current === null) throw new TlsError('the endpoint was started without TLS')
      return useTls(files)
    },
    stop,
    close: () => {
      stop()
      for (const app of [acceptor, ...apps]) app.close()
    },
  }
}

function createTlsApp(files: TlsFiles): { app: TemplatedApp; facts: TlsFacts } {
  const { certificate, key } = files
  const facts = checkTlsFiles(files)
  try {
    // The library speaks TLS 1.2 and 1.3 only.
    return { app: SSLApp({ cert_file_name: certificate, key_file_name: key }), facts }
  } catch (error) {
    throw new TlsError(`the certificate in ${certificate} and its key cannot be used`, { cause: error })
  }
}

/** Gives an app no further connections; those it has go on. */
function retire(acceptor: TemplatedApp, app: TemplatedApp): void {
  undeclared(acceptor).removeChildAppDescriptor(undeclared(app).getDescriptor())
}

function undeclared(app: TemplatedApp): Undeclared {
  return app as unknown as Undeclared
}
