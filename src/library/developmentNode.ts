/// <reference lib="esnext.disposable" preserve="true" />
import type { PartialConfig } from '../config/schema.ts'
import type { DevelopmentNodeAccount, StartedNode } from './startedNode.ts'

export type { Hex } from '../config/networkSpec.ts'
export type { DevelopmentNodeAccount } from './startedNode.ts'

/** The options of a development node. Everything has a default. */
export interface DevelopmentNodeOptions {
  /** Port of JSON-RPC over HTTP and WebSocket; 0, the default, takes a free one. */
  readonly port?: number | undefined
  /** Address to listen on; `127.0.0.1` unless given. */
  readonly host?: string | undefined
  /** Rules and genesis; `regtest` unless given. */
  readonly network?: 'regtest' | 'devnet' | undefined
  /** The accounts of the result. */
  readonly accounts?: DevelopmentAccountOptions | undefined
  /** True when blocks are made at all; true on regtest unless given. `evm_mine` makes one in any case. */
  readonly automine?: boolean | undefined
  /** Seconds between blocks; 0, the default, makes one as soon as there is a transaction. */
  readonly blockTime?: number | undefined
  /** Folder of the chain, which is kept; a temporary one, which is removed by `stop`, unless given. */
  readonly dataDir?: string | undefined
  /** Threads that answer calls; 1 unless given. */
  readonly workers?: number | undefined
  /** Least severe log entries that go to the standard error output; `silent` unless given. */
  readonly logLevel?: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent' | undefined
  /**
   * Where the node runs: in threads of this process, the default, or in a process of its own, which ends with this
   * one.
   */
  readonly process?: 'same' | 'child' | undefined
  /** Stops the node when it is aborted; a start that is under way rejects with the code `ABORTED`. */
  readonly signal?: StopSignal | undefined
  /** The network whose rules and state the chain has, and goes on from a block of; none unless given. */
  readonly fork?: ForkedNetwork | undefined
  /** Any other option by its key in a configuration file. The options above win over it. */
  readonly config?: Omit<PartialConfig, 'config'> | undefined
}

/** A network that a development chain goes on from. */
export interface ForkedNetwork {
  /** Address of its JSON-RPC, or several of which the first that answers is asked. */
  readonly url: string | readonly string[]
  /** Number or hash of the block; 12 below the head unless given. */
  readonly block?: number | bigint | string | undefined
}

/** Number and balance of the accounts that genesis funds. */
export interface DevelopmentAccountOptions {
  /** Number of them; all unless given. */
  readonly count?: number | undefined
  /** Balance of each in wei, set when the chain is new; that of genesis unless given. */
  readonly balance?: bigint | undefined
}

/** The part of an `AbortSignal` that is used. */
export interface StopSignal {
  readonly aborted: boolean
  readonly reason: unknown
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** A running development node. */
export interface DevelopmentNode extends AsyncDisposable {
  /** Address of JSON-RPC over HTTP. */
  readonly url: string
  /** Address of JSON-RPC over WebSocket. */
  readonly webSocketUrl: string
  readonly port: number
  readonly chainId: number
  readonly accounts: readonly DevelopmentNodeAccount[]
  /** Rejects with a {@link DevelopmentNodeError} when the node cannot go on. Nobody has to wait for it. */
  readonly failed: Promise<never>
  /** Answers what was asked, closes everything and removes a temporary folder. May be called more than once. */
  stop(): Promise<void>
}

/** A development node that does not start or cannot go on. The message says what to do. */
export class DevelopmentNodeError extends Error {
  override readonly name = 'DevelopmentNodeError'
  /**
   * The reason: `UnknownOption`, `InvalidValue` or `Conflict` of an option, `LISTEN_FAILED` for a port that is taken,
   * `DATA_DIR_…` of the folder, `EXPOSED`, `CHAIN_THREAD`, `ABORTED` by the signal, `CHILD_ENDED` when the process of
   * the node ended, `FAILED` for anything else.
   */
  readonly code: string

  constructor(code: string, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

/**
 * Starts a development node and resolves when it answers. It installs no handler of signals, ends no process, and
 * leaves nothing behind when it does not start or is stopped.
 * @throws DevelopmentNodeError
 *
 * @example
 * const node = await createNode()
 * const client = createPublicClient({ transport: http(node.url) })
 * await node.stop()
 */
export async function createNode(options: DevelopmentNodeOptions = {}): Promise<DevelopmentNode> {
  const { signal } = options
  assertNotAborted(signal)
  const started = await start(options).catch(throwTyped)
  let stopping: Promise<void> | null = null
  const stop = (): Promise<void> => {
    signal?.removeEventListener('abort', onAbort)
    stopping ??= started.stop().catch(throwTyped)
    return stopping
  }
  const onAbort = () => {
    // Whoever calls `stop` learns what went wrong.
    stop().catch(() => undefined)
  }
  if (signal?.aborted === true) {
    await stop()
    assertNotAborted(signal)
  }
  signal?.addEventListener('abort', onAbort)
  const failed = started.failed.catch(throwTyped)
  // Whoever waits for it gets it; nobody has to.
  failed.catch(() => undefined)
  const { url, webSocketUrl, port, chainId, accounts } = started.metadata
  return { url, webSocketUrl, port, chainId, accounts, failed, stop, [Symbol.asyncDispose]: stop }
}

/** The modules that start a node are loaded when one is asked for. */
async function start({ signal: _, ...options }: DevelopmentNodeOptions): Promise<StartedNode> {
  const { startNode } = await import('./startNode.ts')
  return startNode(options)
}

function assertNotAborted(signal: StopSignal | undefined): void {
  if (signal?.aborted !== true) return
  throw new DevelopmentNodeError('ABORTED', 'the node was stopped while it started', { cause: signal.reason })
}

function throwTyped(thrown: unknown): never {
  const { code, message } = thrown as { code?: unknown; message?: unknown }
  throw new DevelopmentNodeError(typeof code === 'string' ? code : 'FAILED', String(message ?? thrown), {
    cause: thrown,
  })
}
