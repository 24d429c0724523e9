import { Block } from '../chain/codec/block.ts'
import type { BlockHeader } from '../chain/codec/header.ts'
import { parseHeader } from '../chain/codec/headerDecoder.ts'
import { isActive } from '../config/activations.ts'
import type { ForkSpec, NetworkSpec } from '../config/networkSpec.ts'
import { networkByName } from '../config/networks/byName.ts'
import type { NetworkName } from '../config/networks/names.ts'
import { nativeAncestorOf } from '../execution/nativeAncestor.ts'
import type { AncestorMetadata } from '../native/types.ts'
import { fromHex, toHex } from '../util/bytes.ts'
import { UpstreamError } from './errors.ts'
import { checkProof } from './provenState.ts'
import { type Upstream, UpstreamRefusal } from './upstream.ts'
import { fetchBlock, numberOf, quantity, type UpstreamBlock } from './upstreamBlock.ts'
import { type NetworkRules, networkOf, STANDARD_RULES } from './upstreamNetwork.ts'

/** The block that a chain goes on from, and what its network answers: plain data, kept in the data directory. */
export interface ForkBase {
  readonly network: NetworkName
  /** Chain id above the block; absent where it is the network's. */
  readonly chainId?: number
  readonly number: number
  /** `0x` hex. */
  readonly hash: string
  /** `0x` hex. */
  readonly parentHash: string
  /** RLP of the whole header, `0x` hex. */
  readonly header: string
  /** Decimal digits. */
  readonly totalDifficulty: string
  /** RLP of the whole headers of its uncles, `0x` hex. */
  readonly uncles: readonly string[]
  /** True when `rsk_getStorageBytesAt` answers: cells of native contracts are read with nothing else. */
  readonly servesCellBytes: boolean
  /** True when state is answered by the hash of a block, so that no answer is of another one. */
  readonly servesHashes: boolean
  /** False where programs cannot ask for the hash of an account's code (RSKIP140). Absent in what earlier versions wrote. */
  readonly hasCodeHash?: boolean
  /** True when it proves what it says of accounts and cells. Absent in what earlier versions wrote. */
  readonly proves?: boolean
}

/** The options with which a thread asks the network of a fork: plain data. */
export interface UpstreamSetup {
  readonly base: ForkBase
  /** Memory of `UpstreamAddresses`. */
  readonly addresses: SharedArrayBuffer
  /** Milliseconds that a read waits. */
  readonly patience: number
  /** Memory of `SharedStats`. */
  readonly stats: SharedArrayBuffer
}

/** Blocks between the head of the upstream and the default block of a fork. */
const DEFAULT_DEPTH = 12

const BRIDGE = '0x0000000000000000000000000000000001000006'

/** JSON-RPC codes for methods that there are not. */
const NO_METHOD = -32601
/** Error of EIP-4444. */
const PRUNED = 4444

/**
 * Finds out about the network of an upstream and pins the block to go on from.
 * @param block height in decimal or hex digits, or hash; null for some blocks below the head
 * @throws UpstreamError
 */
export async function findForkBase(
  upstream: Upstream,
  block: string | null,
  rules: NetworkRules = STANDARD_RULES,
): Promise<ForkBase> {
  const [chainId, genesis, version] = await Promise.all([
    upstream.request('eth_chainId', []),
    upstream.request('eth_getBlockByNumber', ['0x0', false]),
    upstream.request('web3_clientVersion', []).catch(() => ''),
  ])
  const genesisHash = String((genesis as { hash?: unknown } | null)?.hash)
  const network = networkOf(Number(numberOf(chainId)), genesisHash, rules)
  const spec = rules.specOf(network)
  const found = await findBlock(upstream, spec, block)
  // Before, headers named no Unitrie root.
  if (!isActive(spec, 'rskip126', found.header.number))
    throw new UpstreamError(
      'NETWORK',
      `block ${found.header.number} is from before RSKIP126: fork a newer one`,
    )
  const pinned = { number: found.header.number, hash: toHex(found.header.hash) }
  const servesHashes = String(version).includes('Rhizome/')
  return {
    network,
    ...pinned,
    parentHash: toHex(found.header.parentHash),
    header: toHex(found.header.encodedFull),
    totalDifficulty: String(found.totalDifficulty),
    uncles: found.uncles.map((uncle) => toHex(uncle.encodedFull)),
    servesCellBytes: await servesCellBytes(upstream, pinned.number),
    servesHashes,
    hasCodeHash: isActive(spec, 'rskip140', pinned.number),
    proves: servesHashes && (await proves(upstream, found.header)),
  }
}

/**
 * Makes sure that other addresses have the chain of a fork, and can what its reads ask for.
 * @param genesisHash `0x` hex
 * @throws UpstreamError
 */
export async function assertSameFork(
  upstream: Upstream,
  { network, number, hash, servesHashes, servesCellBytes: hasCellBytes, proves: hasProofs, header }: ForkBase,
  genesisHash: string,
): Promise<void> {
  const [chainId, genesis, pinned, version] = await Promise.all([
    upstream.request('eth_chainId', []),
    hashAt(upstream, 0),
    hashAt(upstream, number),
    upstream.request('web3_clientVersion', []).catch(() => ''),
  ])
  const spec = networkByName(network)
  const other = (what: string) => new UpstreamError('NETWORK', `the upstream ${what}: nothing is changed`)
  if (Number(numberOf(chainId)) !== spec.chainId || genesis !== genesisHash)
    throw other(
      `has chain id ${Number(numberOf(chainId))} and genesis ${genesis}, which is not this fork's network`,
    )
  if (pinned !== hash) throw other(`has not block ${number} ${hash}, which this chain is a fork of`)
  const lacks = (what: string) =>
    other(`${what}, which the one of this fork does; hardhat_reset begins a fork with it`)
  const isOurs = String(version).includes('Rhizome/')
  if (servesHashes && !isOurs) throw lacks('does not answer by the hash of a block')
  if (hasProofs === true && !(await proves(upstream, parseHeader(spec, fromHex(header)))))
    throw lacks('does not prove state')
  if (hasCellBytes && hasProofs !== true && !(await servesCellBytes(upstream, number)))
    throw lacks('does not give rsk_getStorageBytesAt')
}

async function findBlock(
  upstream: Upstream,
  spec: NetworkSpec,
  block: string | null,
): Promise<UpstreamBlock> {
  if (block !== null && /^0x[0-9a-f]{64}$/i.test(block)) {
    const found = await fetchBlock(upstream, spec, block.toLowerCase())
    const canonical = await hashAt(upstream, found.header.number)
    if (canonical === toHex(found.header.hash)) return found
    throw new UpstreamError('REORGANISED', `block ${block} is not on the chain of the upstream`)
  }
  const head = Number(numberOf(await upstream.request('eth_blockNumber', [])))
  const number = block === null ? Math.max(0, head - DEFAULT_DEPTH) : Number(block)
  if (Number.isSafeInteger(number) && number >= 0 && number <= head)
    return await fetchBlock(upstream, spec, number)
  throw new UpstreamError('REFUSED', `the upstream has blocks up to ${head}, and no block ${block}`)
}

/** Hash of the canonical block of a height as the upstream has it now. */
export async function hashAt(upstream: Upstream, number: number): Promise<string> {
  const block = await upstream.request('eth_getBlockByNumber', [quantity(number), false])
  return String((block as { hash?: unknown } | null)?.hash)
}

/** @throws UpstreamError `PRUNED` where the state of the block is given up */
async function servesCellBytes(upstream: Upstream, number: number): Promise<boolean> {
  const isAnswered = async (method: string, params: readonly unknown[]) => {
    try {
      await upstream.request(method, [...params, quantity(number)])
      return true
    } catch (error) {
      if (!(error instanceof UpstreamRefusal)) throw error
      if (isPruned(error)) throw prunedState(number, error)
      if (isMissingMethod(error)) return false
      throw error
    }
  }
  if (await isAnswered('rsk_getStorageBytesAt', [BRIDGE, '0x1'])) return true
  // Nothing else of the state is asked for before the first read.
  await isAnswered('eth_getBalance', [BRIDGE])
  return false
}

/** True for an upstream that proves state. @throws UpstreamError `UNPROVEN` where what it gives for a proof is none */
async function proves(upstream: Upstream, { number, fields }: BlockHeader): Promise<boolean> {
  try {
    const answer = await upstream.request('eth_getProof', [BRIDGE, [], quantity(number)])
    checkProof(fields.stateRoot, BRIDGE, [], answer)
    return true
  } catch (error) {
    if (error instanceof UpstreamRefusal) return false
    throw error
  }
}

/** True when an upstream does not have a method, or does not give it to us. */
export function isMissingMethod({ rpcCode, message }: UpstreamRefusal): boolean {
  return (
    rpcCode === NO_METHOD || /method.*(not|n't)|not (available|supported|allowed|whitelisted)/i.test(message)
  )
}

/** True when an upstream no longer keeps the state that it was asked for. Public nodes and RSKj have words of their own for it. */
export function isPruned({ rpcCode, message }: UpstreamRefusal): boolean {
  return (
    rpcCode === PRUNED ||
    /pruned|missing trie node|state .*(not available|unavailable)|state not found|no state/i.test(message)
  )
}

/** The upstream gave the state of a fork's block up, which is no absent account. */
export function prunedState(number: number, { message }: UpstreamRefusal): UpstreamError {
  return new UpstreamError(
    'PRUNED',
    `the upstream no longer keeps the state of block ${number}, which this chain is a fork of: fork a newer block, or name an archive with --fork-url (${message})`,
  )
}

/** The fork as a part of its network's parameters. */
export function forkSpec({ number, chainId }: ForkBase): ForkSpec {
  return { number, ...(chainId === undefined ? {} : { chainId }) }
}

/** A block of the upstream as later blocks read it. */
export function forkAncestor({ header, totalDifficulty, uncles }: UpstreamBlock): AncestorMetadata {
  return nativeAncestorOf(new Block(header, [], uncles), totalDifficulty, null)
}

/** The block of a fork. */
export function forkBlock(spec: NetworkSpec, base: ForkBase): UpstreamBlock {
  return {
    header: parseHeader(spec, fromHex(base.header)),
    totalDifficulty: BigInt(base.totalDifficulty),
    uncles: base.uncles.map((uncle) => parseHeader(spec, fromHex(uncle))),
  }
}
