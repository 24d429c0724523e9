import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestBuild } from '../../support/testBuild.ts'
import { Namespaces } from './namespaces.ts'
import { ProductNode } from './productNode.ts'

/** What two nodes that have IPv6 between them and nothing else came to. */
export interface Ipv6Result {
  readonly blocks: number
  /** Seconds until the second node had found the first by discovery, connected and had its chain. */
  readonly seconds: number
  /** Nodes that the first one knows: it was told nobody. */
  readonly known: number
  readonly faults: readonly string[]
}

const PORT = 30_400
const BLOCKS = 300
const LOOK_MS = 100
const MAX_MS = 60_000

/**
 * Two nodes in namespaces with a cable between them that has IPv6 addresses alone. The second knows the first as a
 * bootstrap node, by address and without an id: discovery finds out who it is, then it is dialled and followed.
 * @returns null where namespaces are not allowed
 */
export async function runIpv6(build: TestBuild): Promise<Ipv6Result | null> {
  const spaces = Namespaces.create(2)
  if (spaces === null) return null
  const folder = mkdtempSync(join(tmpdir(), 'rhizome-ipv6-'))
  const nodes: ProductNode[] = []
  try {
    const addresses = spaces.join(0, 1)
    const program = await build.program('ipv6', [
      {
        file: 'config/networks/regtest.ts',
        find: 'bootstrap: []',
        replace: `bootstrap: [{ host: '${addresses[0]}', port: ${PORT + 1} }]`,
      },
    ])
    const start = async (at: 0 | 1): Promise<ProductNode> => {
      const { under = [], address: requestsAt = '' } = spaces.all[at] ?? {}
      const dataDir = join(folder, String(at))
      const args = ['--discovery']
      const options = { program, dataDir, address: addresses[at], requestsAt, port: PORT, under, args }
      const node = await ProductNode.start(options)
      nodes.push(node)
      return node
    }
    const first = await start(0)
    await first.request('hardhat_mine', [`0x${BLOCKS.toString(16)}`])
    const began = performance.now()
    const second = await start(1)
    const faults: string[] = []
    if (!(await within(async () => (await second.head()).hash === (await first.head()).hash)))
      faults.push(`the second node is at block ${(await second.head()).number}`)
    const seconds = (performance.now() - began) / 1000
    await first.request('evm_mine')
    if (!(await within(async () => (await second.head()).number === BLOCKS + 1)))
      faults.push('it does not follow')
    const peers = await second.request<{ network: { remoteAddress: string } }[]>('admin_peers')
    const { remoteAddress = '' } = peers[0]?.network ?? {}
    if (!remoteAddress.startsWith(`[${addresses[0]}]`)) faults.push(`its peer is at ${remoteAddress}`)
    const known = (await first.request<{ knownNodes: number | string | null }>('ext_getPeerStatus'))
      .knownNodes
    if (!(Number(known) > 0)) faults.push('the first node does not know the second one')
    return { blocks: BLOCKS + 1, seconds, known: Number(known), faults }
  } finally {
    await Promise.all(nodes.map((node) => node.stop('SIGKILL')))
    spaces.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function within(holds: () => Promise<boolean>): Promise<boolean> {
  const until = performance.now() + MAX_MS
  while (performance.now() < until) {
    if (await holds()) return true
    await sleep(LOOK_MS)
  }
  return false
}
