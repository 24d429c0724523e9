import type { TlsFiles } from './tls.ts'

/** Addresses at which the front listens, and what it lets through. */
export interface FrontOptions {
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  /** Allowed `Host` names besides literal IP addresses; `*` is any (rpc.md §1.1). */
  readonly hosts: readonly string[]
  /**
   * Origins whose pages may read and send signed transactions, with commas between them: origins, `loopback`,
   * `extensions`, `*`; null for no CORS headers at all.
   */
  readonly corsOrigin: string | null
  /** Origins whose pages may do everything that programs may: origins, `loopback`, `extensions`. */
  readonly trustedOrigins: readonly string[]
  /** Open connections, WebSockets included; one more is closed as soon as it is accepted. */
  readonly maxConnections: number
  /** Bytes of a body or of a WebSocket message. */
  readonly maxBodyBytes: number
  /** Bytes that may wait for a slow WebSocket client before it is cut off. */
  readonly maxSocketBacklog: number
  /** Seconds without a frame, pings included, after which a WebSocket is closed. */
  readonly socketIdleSeconds: number
  /** True when browsers get the page at `/`. */
  readonly page: boolean
  /** Address of readiness with its reasons and of metrics; null for the same port as everything else. */
  readonly monitoring: ListenAddress | null
  /** null for no TLS. */
  readonly tls: TlsFiles | null
  /** True when the name that a client gives a request is taken into logs and echoed. */
  readonly requestIds: boolean
}

/** Address to listen at. */
export interface ListenAddress {
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
}

/** Bounds of the reference, rpc.md §1. */
export const DEFAULT_FRONT: FrontOptions = {
  host: '127.0.0.1',
  port: 4444,
  hosts: ['*'],
  corsOrigin: null,
  trustedOrigins: [],
  maxConnections: Number.POSITIVE_INFINITY,
  maxBodyBytes: 5 * 1024 * 1024,
  maxSocketBacklog: 16 * 1024 * 1024,
  socketIdleSeconds: 120,
  page: true,
  monitoring: null,
  tls: null,
  requestIds: true,
}
