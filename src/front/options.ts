import type { GatewayLimits } from '../gateway/gateway.ts'

/** Answers to questions of operators, on the same port. */
export interface FrontProbes {
  /** Whether the node can answer; the text goes into the body of `/health`. */
  health(): {
    readonly ready: boolean
    readonly detail: { readonly [key: string]: string | number | boolean }
  }
  /** Prometheus text of `/metrics`; null when metrics are switched off. */
  readonly metrics: (() => Promise<string>) | null
}

/** How the front listens and what it lets through. */
export interface FrontOptions {
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  /** Allowed `Host` names besides literal IP addresses; `*` is any (facts/rpc.md §1.1). */
  readonly hosts: readonly string[]
  /** Allowed origin of browsers: `*`, one origin, or null for no CORS headers at all. */
  readonly corsOrigin: string | null
  /** Bytes of a body or of a WebSocket message. */
  readonly maxBodyBytes: number
  /** Bytes that may wait for a slow WebSocket client before it is cut off. */
  readonly maxSocketBacklog: number
  /** Seconds without a frame, pings included, after which a WebSocket is closed. */
  readonly socketIdleSeconds: number
  /** Whether browsers get the page at `/`. */
  readonly page: boolean
}

/** Bounds of the reference, facts/rpc.md §1. */
export const DEFAULT_FRONT: FrontOptions = {
  host: '127.0.0.1',
  port: 4444,
  hosts: ['*'],
  corsOrigin: null,
  maxBodyBytes: 5 * 1024 * 1024,
  maxSocketBacklog: 16 * 1024 * 1024,
  socketIdleSeconds: 120,
  page: true,
}

/** Bounds of the reference, facts/rpc.md §1.4. */
export const DEFAULT_LIMITS: GatewayLimits = { batch: 50, answerBytes: 10 * 1024 * 1024 }
