import { lookup } from 'node:dns/promises'
import type { BootstrapNode } from '../../config/networkSpec.ts'
import type { Logger } from '../../observe/logger.ts'

/** Most addresses used per name. */
const MAX_ADDRESSES = 4

/** Address of a node. */
export interface NodeAddress {
  readonly address: string
  readonly port: number
}

/** Addresses of a host name. @throws Error when there are none */
export type Resolve = (host: string) => Promise<readonly string[]>

/** Asks the machine's resolver. */
export const resolveHost: Resolve = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address)

/** The addresses that the names of bootstrap nodes resolve to now; unresolvable names are skipped. */
export async function findBootstrapNodes(
  nodes: readonly BootstrapNode[],
  resolve: Resolve,
  logger: Logger,
): Promise<NodeAddress[]> {
  let failed = 0
  const addresses = await Promise.all(
    nodes.map(async ({ host, port }) => {
      try {
        const addresses = await resolve(host)
        return addresses.slice(0, MAX_ADDRESSES).map((address) => ({ address, port }))
      } catch (error) {
        failed += 1
        logger.debug({ host, reason: (error as Error).message }, 'a bootstrap node has no address')
        return []
      }
    }),
  )
  if (failed > 0 && failed === nodes.length) {
    logger.warn({ names: failed }, 'no bootstrap node has an address: names are not resolved here')
  }
  return addresses.flat()
}
