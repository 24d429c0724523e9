import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { checkConflicts } from '../../config/conflicts.ts'
import { ConfigError } from '../../config/errors.ts'
import type { Config } from '../../config/schema.ts'
import { type DirectoryLock, lockDirectory } from '../../native/directoryLock.ts'
import type { ChainTarget } from '../../rpc/context.ts'
import { invalidParams } from '../../rpc/errors.ts'
import type { FollowedNode, NodeOptions, RunningNode } from '../createNode.ts'
import { NodeError } from '../errors.ts'
import type { Handover } from '../parts/nodeScope.ts'

/** Folders of chains that were begun by a reset, below the data directory. */
const PREFIX = 'reset-'

/** A node that can be followed by another one under the same port. */
export type OpenNode = (options: NodeOptions, handover: Handover) => Promise<FollowedNode>

/**
 * A node whose chain can become another one while it runs: the other one is opened beside it, takes over the port, and
 * the first one is closed once it has answered what was asked. WebSockets, filters, subscriptions and snapshots end
 * with it; connections of HTTP go on with the other one. A chain that was begun so lasts until the node stops or is reset: the data directory's own chain stays as it
 * is, and the next start goes on with that.
 */
export class ReplaceableNode {
  readonly #options: NodeOptions
  readonly #open: OpenNode
  readonly #failed: { readonly promise: Promise<never>; readonly reject: (reason: unknown) => void }
  #node: FollowedNode | null = null
  /** The folder of the chain; null while that is the data directory itself. */
  #folder: string | null = null
  /** Of the data directory, while the chain is another one. */
  #lock: DirectoryLock | null = null
  #isReplacing = false
  #isStopping = false
  #closing: Promise<void> = Promise.resolve()

  private constructor(options: NodeOptions, open: OpenNode) {
    this.#options = options
    this.#open = open
    let reject: (reason: unknown) => void = () => undefined
    const promise = new Promise<never>((_, no) => {
      reject = no
    })
    // Whoever waits for it gets it.
    promise.catch(() => undefined)
    this.#failed = { promise, reject }
  }

  /** Opens the node of the options. @throws what opening throws */
  static async open(options: NodeOptions, open: OpenNode): Promise<RunningNode> {
    const replaceable = new ReplaceableNode(options, open)
    replaceable.#use(await open(options, replaceable.#handover()), null)
    removeLeft(options.config.dataDir)
    return replaceable.#running()
  }

  #handover(beforeListening: () => void = () => undefined): Handover {
    return { beforeListening, replaceChain: (target) => this.#replace(target) }
  }

  #use(node: FollowedNode, folder: string | null): void {
    this.#node = node
    this.#folder = folder
    node.failed.catch((reason: unknown) => {
      if (this.#node === node) this.#failed.reject(reason)
    })
  }

  get #now(): FollowedNode {
    if (this.#node === null) throw new Error('the node is not open')
    return this.#node
  }

  /** @throws RpcError -32602 where there is no such chain; then the one that runs goes on */
  async #replace(target: ChainTarget | null): Promise<void> {
    if (this.#isReplacing || this.#isStopping)
      throw invalidParams('Invalid options: another reset is under way')
    this.#isReplacing = true
    try {
      await this.#replaceNow(target)
    } finally {
      this.#isReplacing = false
    }
  }

  async #replaceNow(target: ChainTarget | null): Promise<void> {
    const before = this.#now
    const { dataDir } = this.#options.config
    const folder = mkdtempSync(join(dataDir, PREFIX))
    let isTakenOver = false
    const takeOver = () => {
      isTakenOver = true
      before.stopAccepting()
    }
    try {
      const config = configOf(this.#options.config, before, target, folder)
      checkConflicts(config)
      const node = await this.#open({ ...this.#options, config }, this.#handover(takeOver))
      // Clients keep connections that they are not told to close, and ask the new chain over them.
      before.handOver(node)
      const left = this.#folder
      this.#use(node, folder)
      // The answer to whoever asked for this is still to be sent by the one that goes.
      this.#closing = this.#closing.then(() => this.#close(before, left))
      if (this.#isStopping) await node.stop()
    } catch (error) {
      removeFolder(folder)
      if (isTakenOver) this.#failed.reject(error)
      if (error instanceof NodeError || error instanceof ConfigError)
        throw invalidParams(`Invalid options: ${error.message}`)
      throw error
    }
  }

  async #close(node: FollowedNode, folder: string | null): Promise<void> {
    const { config, logger } = this.#options
    await node.stop().catch((error: unknown) => {
      logger.child({ part: 'node' }).error({ err: error }, 'the chain before a reset could not be closed')
    })
    if (folder !== null) return removeFolder(folder)
    // Nobody else takes the folder meanwhile.
    this.#lock = lockDirectory(config.dataDir)
  }

  async #stop(): Promise<void> {
    this.#isStopping = true
    await this.#closing
    try {
      await this.#now.stop()
      await this.#closing
    } finally {
      if (this.#folder !== null) removeFolder(this.#folder)
      this.#lock?.release()
      this.#lock = null
    }
  }

  #running(): RunningNode {
    const now = () => this.#now
    const { config } = this.#options
    return {
      get spec() {
        return now().spec
      },
      get fork() {
        return now().fork
      },
      get host() {
        return now().host
      },
      get port() {
        return now().port
      },
      get monitoring() {
        return now().monitoring
      },
      get head() {
        return now().head
      },
      get restored() {
        return now().restored
      },
      get accounts() {
        return now().accounts
      },
      balanceOf: (address) => now().balanceOf(address),
      setBalance: (address, balance) => now().setBalance(address, balance),
      reconfigure: (next) => {
        const isSame = this.#folder === null
        return now().reconfigure(isSame ? next : { ...next, ...chosen(config, now(), this.#folder ?? '') })
      },
      stop: () => this.#stop(),
      failed: this.#failed.promise,
    }
  }
}

/** The options of a chain that follows another one. */
function configOf(config: Config, before: FollowedNode, target: ChainTarget | null, folder: string): Config {
  return {
    ...config,
    ...chosen(config, before, folder),
    forkUrl: target === null ? null : (target.url ?? before.fork?.urls.join(',') ?? config.forkUrl),
    forkBlock: target?.block ?? null,
    offline: false,
    ...(target === null ? { chainId: 0 } : {}),
  }
}

function chosen(config: Config, before: FollowedNode, folder: string): Partial<Config> {
  const { host, port } = before
  return {
    host,
    httpPort: port,
    dataDir: folder,
    forkCache: config.forkCache ?? join(config.dataDir, 'fork-cache'),
  }
}

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}

/** Folders of chains of a process that was killed: whoever has the data directory open has no other. */
function removeLeft(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    if (name.startsWith(PREFIX)) removeFolder(join(dataDir, name))
  }
}
