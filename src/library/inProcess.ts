import type { Config } from '../config/schema.ts'
import { createNode, type RunningNode } from '../node/createNode.ts'
import { createLogger } from '../observe/logger.ts'
import { toHex } from '../util/bytes.ts'
import { programVersion } from '../util/programVersion.ts'
import type { DevelopmentAccountOptions } from './developmentNode.ts'
import type { DevelopmentNodeAccount, NodeMetadata, StartedNode } from './startedNode.ts'

/** Start parameters of a node: plain data, so that they can cross to another process. */
export interface StartRequest {
  readonly config: Config
  readonly accounts: DevelopmentAccountOptions
  /** The folder that is removed with the node; null for a permanent one. */
  readonly temporaryFolder: string | null
}

/** Wildcard addresses, and the address at which to reach a node that listens on one. */
const WILDCARDS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/**
 * Starts a node in threads of this process.
 * @throws NodeError, ListenError
 */
export async function startInProcess({ config, accounts }: StartRequest): Promise<StartedNode> {
  const logger = createLogger({ level: config.logLevel, format: config.logFormat })
  const node = await createNode({ config, version: programVersion(), logger })
  try {
    return {
      metadata: await prepare(node, config, accounts),
      failed: node.failed,
      stop: () => node.stop(),
    }
  } catch (error) {
    await node.stop()
    throw error
  }
}

async function prepare(
  node: RunningNode,
  config: Config,
  { count, balance }: DevelopmentAccountOptions,
): Promise<NodeMetadata> {
  const accounts = node.accounts.slice(0, count)
  if (balance !== undefined && node.head === 0) {
    for (const { address } of accounts) await node.setBalance(address, balance)
  }
  const isTls = config.tlsCert !== null
  const host = WILDCARDS[node.host] ?? node.host
  const address = `${host.includes(':') ? `[${host}]` : host}:${node.port}`
  return {
    url: `${isTls ? 'https' : 'http'}://${address}`,
    webSocketUrl: `${isTls ? 'wss' : 'ws'}://${address}`,
    port: node.port,
    chainId: node.spec.chainId,
    accounts: accounts.flatMap(({ address, privateKey }): DevelopmentNodeAccount[] =>
      privateKey === null ? [] : [{ address: toHex(address), privateKey: toHex(privateKey) }],
    ),
  }
}
