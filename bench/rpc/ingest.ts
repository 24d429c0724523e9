import { setTimeout as sleep } from 'node:timers/promises'
import { type Abi, encodeDeployData, encodeFunctionData, type Hex, toHex } from 'viem'
import { readArtefact } from '../../test/contracts/artefact.ts'
import { askNode } from '../../test/support/nodeProcess.ts'
import type { Generator, LoadStats } from '../load/generator.ts'
import type { Row } from '../report/results.ts'
import { BenchAccount } from './account.ts'
import { heightOf } from './contender.ts'
import type { Peer } from './peers.ts'
import { processorSeconds } from './processStats.ts'
import { textOf } from './requests.ts'
import { fund } from './setup.ts'
import { sendingAccounts, signTransfers } from './signedTransfers.ts'

export interface IngestOptions {
  /** When the nodes mine blocks, for the table. */
  readonly mode: string
  readonly accounts: number
  readonly perAccount: number
  readonly connections: number
}

export interface IngestResult {
  readonly node: string
  readonly mode: string
  readonly ingest: LoadStats
  /** From the first transaction sent to the last one mined; null when some were never mined. */
  readonly includedSeconds: number | null
  /** Accounts with accepted transactions that were not mined after a long wait. */
  readonly waiting: number
  readonly transactions: number
  readonly blocks: number
  readonly processorMicros: number | null
}

const CREATION_GAS = 3_000_000n
const GIVE_GAS = 6_500_000n
const GIFT = 10n ** 17n
/** Accounts that are funded in one transaction: geth asks for 190,000 gas where an account is new. */
const GIVEN_AT_ONCE = 25
const INGEST_LIMIT_SECONDS = 60
const INCLUSION_LIMIT_MS = 20_000
const POLL_MS = 20
const NUDGE_MS = 2_000

/**
 * Sends pre-signed transactions of many accounts, as fast as they are accepted, and waits until all are
 * mined.
 */
export async function measureIngest(
  peer: Peer,
  generator: Generator,
  options: IngestOptions,
): Promise<IngestResult> {
  const { url, funder, pid } = peer
  const sender = new BenchAccount(url)
  await fund(url, funder, sender.account.address)
  await sender.prepare()
  const addresses = sendingAccounts(options.accounts).map(({ address }) => address)
  await giveMoney(sender, addresses)
  const { chainId, gasPrice } = sender
  const signed = signTransfers({ ...options, chainId, gasPrice })
  const bodies = signed.map((raw) => textOf({ method: 'eth_sendRawTransaction', params: [raw] }))
  const file = generator.write(bodies)
  const height = await heightOf(peer)
  const before = pid === null ? 0 : processorSeconds(pid)
  const start = performance.now()
  const { connections } = options
  const ingest = await generator.load(url, file, { seconds: INGEST_LIMIT_SECONDS, connections, once: true })
  if (ingest.failures > 0) {
    throw new Error(`${peer.name} refused ${ingest.failures} transactions: ${ingest.firstFailure}`)
  }
  if (ingest.requests < signed.length) {
    throw new Error(`${peer.name} took only ${ingest.requests} transactions in ${INGEST_LIMIT_SECONDS} s`)
  }
  const waiting = await waitForAll(url, addresses, options.perAccount)
  const includedSeconds = waiting === 0 ? (performance.now() - start) / 1000 : null
  const used = pid === null ? null : processorSeconds(pid) - before
  return {
    node: peer.name,
    mode: options.mode,
    ingest,
    includedSeconds,
    waiting,
    transactions: signed.length,
    blocks: (await heightOf(peer)) - height,
    processorMicros: used === null ? null : (used / signed.length) * 1e6,
  }
}

async function giveMoney(sender: BenchAccount, addresses: readonly Hex[]): Promise<void> {
  const { abi, bytecode } = readArtefact('Spread')
  const creation = encodeDeployData({ abi: abi as Abi, bytecode })
  const { contractAddress: to } = await sender.send({ data: creation, gas: CREATION_GAS })
  if (to === null) throw new Error('no address of Spread')
  for (let from = 0; from < addresses.length; from += GIVEN_AT_ONCE) {
    const some = addresses.slice(from, from + GIVEN_AT_ONCE)
    const data = encodeFunctionData({ abi: abi as Abi, functionName: 'give', args: [some] })
    await sender.send({ to, data, value: GIFT * BigInt(some.length), gas: GIVE_GAS })
  }
}

async function waitForAll(url: string, addresses: readonly Hex[], nonce: number): Promise<number> {
  const limit = Date.now() + INCLUSION_LIMIT_MS
  let nudge = Date.now() + NUDGE_MS
  const waiting = new Set(addresses)
  while (waiting.size > 0) {
    for (const address of waiting) {
      const count = await askNode<Hex>(url, 'eth_getTransactionCount', [address, 'latest'])
      if (count !== toHex(nonce)) {
        if (Date.now() < limit) break
        continue
      }
      waiting.delete(address)
    }
    // A node that mines on arrival may leave the last ones of a burst until the next one arrives.
    if (Date.now() > nudge) {
      nudge = Date.now() + NUDGE_MS
      await askNode(url, 'evm_mine', []).catch(() => undefined)
    }
    if (Date.now() > limit) break
    if (waiting.size > 0) await sleep(POLL_MS)
  }
  return waiting.size
}

export function ingestRow(result: IngestResult, own: IngestResult | undefined): Row {
  const { ingest } = result
  const included = includedPerSecond(result)
  const ours = own === undefined ? null : includedPerSecond(own)
  return {
    blocks: result.mode,
    node: result.node,
    transactions: result.transactions,
    'taken/s': Math.round(ingest.requestsPerSecond),
    'p50 ms': ingest.p50,
    'p99 ms': ingest.p99,
    'included/s':
      included === null
        ? `${result.waiting} accounts wait after ${INCLUSION_LIMIT_MS / 1000} s`
        : Math.round(included),
    'in blocks': result.blocks,
    'CPU µs/transaction': result.processorMicros ?? '',
    failures: ingest.failures,
    'ratio taken':
      own === undefined ? '' : own.ingest.requestsPerSecond / Math.max(ingest.requestsPerSecond, 1e-9),
    'ratio included': ours === null || included === null ? '' : ours / included,
  }
}

function includedPerSecond({ transactions, includedSeconds }: IngestResult): number | null {
  return includedSeconds === null ? null : transactions / includedSeconds
}
