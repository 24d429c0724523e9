import type { TemplatedApp, us_listen_socket } from 'uWebSockets.js'
import { type DetachableApp, detachable } from './detachable.ts'
import type { ListenAddress } from './options.ts'
import type { SocketLibrary } from './socketLibrary.ts'
import { checkTlsFiles, TlsError, type TlsFiles, type TlsMetadata } from './tls.ts'

/** Without it the system lets several processes share a port without any of them noticing. */
const EXCLUSIVE_PORT = 1
/** Another process may take a port that was found to be free. */
const FREE_PORT_TRIES = 5

/**
 * Functions that the library has but does not declare: a form of listening, and apps that take over accepted
 * connections.
 */
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
  /** The metadata of the certificate of new connections; null without TLS. */
  certificate(): TlsMetadata | null
  /**
   * Reloads certificate and key for new connections; open connections keep theirs.
   * @throws TlsError; new connections then keep using the old files
   */
  reloadTls(files: TlsFiles): TlsMetadata
  /** Takes no further connections. */
  stop(): void
  /** The apps that answer. */
  readonly answering: readonly DetachableApp[]
  /**
   * Takes no further connections, and has another listener answer what comes over those that are open; again for another
   * one later. They are left by {@link close}: clients may use them again at any time.
   */
  handOver(next: Listener): void
  /** Ends listening, and every connection that was not handed over. */
  close(): void
  /** Ends every connection. */
  end(): void
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
 * Under TLS one app accepts connections and hands them to another app, which holds the certificate. A new certificate
 * means a new app that gets the connections from then on, so no connection is lost or closed. Both apps are of the same
 * kind, TLS or not: a plain acceptor reserves too little memory for sockets that a TLS app takes over.
 * @param addRoutes called with every app that answers
 * @throws ListenError, TlsError
 */
export async function listenOn(
  library: SocketLibrary,
  address: ListenAddress,
  tls: TlsFiles | null,
  addRoutes: (app: TemplatedApp) => void,
): Promise<Listener> {
  const acceptor = tls === null ? library.App() : createTlsApp(library, tls).app
  const apps = new Set<TemplatedApp>()
  const answering: DetachableApp[] = []
  const addDetachableRoutes = (app: TemplatedApp) => {
    const detaching = detachable(app)
    answering.push(detaching)
    addRoutes(detaching.app)
  }
  const end = () => {
    for (const app of [acceptor, ...apps]) app.close()
    for (const app of answering) app.detach()
  }
  let current: TemplatedApp | null = null
  let certificate: TlsMetadata | null = null
  const useTls = (files: TlsFiles): TlsMetadata => {
    const { app, metadata } = createTlsApp(library, files)
    addDetachableRoutes(app)
    apps.add(app)
    undeclared(acceptor).addChildAppDescriptor(undeclared(app).getDescriptor())
    if (current !== null) retire(acceptor, current)
    current = app
    certificate = metadata
    return metadata
  }
  if (tls === null) addDetachableRoutes(acceptor)
  else useTls(tls)
  const socket = await takePort(library, acceptor, address)
  if (socket === false) {
    end()
    throw new ListenError(address)
  }
  let isListening = true
  let isHandedOver = false
  const stop = () => {
    if (isListening) library.us_listen_socket_close(socket)
    isListening = false
  }
  return {
    port: library.us_socket_local_port(socket),
    certificate: () => certificate,
    reloadTls: (files) => {
      if (current === null) throw new TlsError('the endpoint was started without TLS')
      return useTls(files)
    },
    stop,
    answering,
    handOver: (next) => {
      stop()
      isHandedOver = true
      const newest = next.answering.at(-1)
      if (newest !== undefined) for (const app of answering) app.handOver(newest)
    },
    close: () => {
      stop()
      if (!isHandedOver) end()
    },
    end,
  }
}

/** False where the port is taken. */
async function takePort(
  library: SocketLibrary,
  acceptor: TemplatedApp,
  { host, port }: ListenAddress,
): Promise<us_listen_socket | false> {
  const listen = (number: number) =>
    new Promise<us_listen_socket | false>((resolve) => {
      undeclared(acceptor).listen(host, number, EXCLUSIVE_PORT, resolve)
    })
  if (port !== 0) return await listen(port)
  for (let tries = 1; ; tries += 1) {
    const free = await listen(0)
    if (free === false) return false
    // Only where a port is named does the library let it be taken again while connections of before are open.
    const number = library.us_socket_local_port(free)
    library.us_listen_socket_close(free)
    const socket = await listen(number)
    if (socket !== false || tries === FREE_PORT_TRIES) return socket
  }
}

function createTlsApp(library: SocketLibrary, files: TlsFiles): { app: TemplatedApp; metadata: TlsMetadata } {
  const { certificate, key } = files
  const metadata = checkTlsFiles(files)
  try {
    // The library speaks TLS 1.2 and 1.3 only.
    return { app: library.SSLApp({ cert_file_name: certificate, key_file_name: key }), metadata }
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
