import type { NetworkSpec } from '../config/networkSpec.ts'
import { keccak256 } from '../native/crypto.ts'
import { bigIntToBytes, bytesToBigInt, EMPTY_BYTES } from '../util/bytes.ts'
import { UpstreamError } from './errors.ts'
import { fetchFederationCells, isFederationCell } from './federationCells.ts'
import { type ForkBase, isMissingMethod, isPruned, prunedState } from './forkBase.ts'
import { checkProof, type ProvenAccount } from './provenState.ts'
import { type Upstream, UpstreamRefusal } from './upstream.ts'
import { bytesOf, numberOf, quantity } from './upstreamBlock.ts'

/** An account of the upstream at the block of the fork. */
export interface UpstreamAccount {
  readonly exists: boolean
  readonly nonce: bigint
  /** Wei. */
  readonly balance: bigint
  readonly code: Buffer
  /** True when it has the contract marker. */
  readonly contract: boolean
}

/** System contracts have cells wider than a word: Bridge, REMASC and those beside them. */
function isSystemContract(address: string): boolean {
  return BigInt(address) >= 0x0100_0000n && BigInt(address) < 0x0200_0000n
}

const BRIDGE = '0x0000000000000000000000000000000001000006'
const REMASC = '0x0000000000000000000000000000000001000008'

/** Precompiled contracts have small addresses. */
export function isPrecompiled(address: string): boolean {
  return BigInt(address) < 0x0200_0000n
}

/** Ethereum's precompiled contracts have the lowest addresses. */
const LAST_ETHEREUM_CONTRACT = 0xffn
/** Gas that a call of an account that does not exist costs more. */
const NEW_ACCOUNT_GAS = 25_000n
/** Who asks whether others exist: the sender of a call exists while it runs, and without one the zero address is it. */
const PROBER = `0x${'a5'.repeat(20)}`
const PROBER_OF_PROBER = `0x${'a6'.repeat(20)}`
/** JSON-RPC's internal error. */
const INTERNAL_ERROR = -32_603
/** Cells that one request may prove. */
const MAX_PROVEN_CELLS = 1000

/** Reads state of the upstream at the block of a fork. */
export class UpstreamState {
  readonly #upstream: Upstream
  readonly #base: ForkBase
  readonly #block: unknown
  readonly #spec: NetworkSpec
  #federations: ReturnType<typeof fetchFederationCells> | null = null

  constructor(upstream: Upstream, base: ForkBase, spec: NetworkSpec) {
    this.#spec = spec
    this.#upstream = upstream
    this.#base = base
    this.#block = base.servesHashes ? { blockHash: base.hash, requireCanonical: true } : quantity(base.number)
  }

  /**
   * An account with some of its cells, checked against the state root of the block.
   * @param address `0x` hex
   * @param slots `0x` and 64 hex digits
   * @param root of the state of the block
   * @throws UpstreamError
   */
  async proven(address: string, slots: readonly string[], root: Buffer): Promise<ProvenAccount> {
    const parts = Array.from(
      { length: Math.max(1, Math.ceil(slots.length / MAX_PROVEN_CELLS)) },
      (_, index) => slots.slice(index * MAX_PROVEN_CELLS, (index + 1) * MAX_PROVEN_CELLS),
    )
    const proofs = await Promise.all(
      parts.map(async (some) => {
        const positions = some.map((slot) => quantity(BigInt(slot)))
        return checkProof(root, address, some, await this.#read('eth_getProof', [address, positions]))
      }),
    )
    const [first] = proofs
    if (first === undefined) throw new TypeError('one request is always sent')
    return { ...first, cells: new Map(proofs.flatMap(({ cells }) => [...cells])) }
  }

  /** Code of a hash. @param address of an account that has it, `0x` hex @throws UpstreamError */
  async provenCode(address: string, hash: Buffer): Promise<Buffer> {
    const code = bytesOf(await this.#read('eth_getCode', [address]))
    if (keccak256(code).equals(hash)) return code
    throw new UpstreamError(
      'UNPROVEN',
      `the upstream's code of ${address} is not that of the state root of the block`,
    )
  }

  /** @param address `0x` hex @throws UpstreamError */
  async account(address: string): Promise<UpstreamAccount> {
    const [balance, nonce, code] = await Promise.all([
      this.#read('eth_getBalance', [address]).then(numberOf),
      this.#read('eth_getTransactionCount', [address]).then(numberOf),
      this.#read('eth_getCode', [address]).then(bytesOf),
    ])
    const hasSomething = balance > 0n || nonce > 0n || code.length > 0
    const exists = hasSomething || (await this.#exists(address))
    return { exists, nonce, balance, code, contract: exists && (code.length > 0 || isPrecompiled(address)) }
  }

  /**
   * A cell, bytes as stored; none where there is none.
   * @param address `0x` hex
   * @param slot `0x` and 64 hex digits
   * @throws UpstreamError
   */
  async cell(address: string, slot: string): Promise<Buffer> {
    const position = quantity(BigInt(slot))
    if (!isSystemContract(address)) {
      return bigIntToBytes(numberOf(await this.#read('eth_getStorageAt', [address, position])))
    }
    if (!this.#base.servesCellBytes) return await this.#nativeCell(address, slot, position)
    const cell = await this.#read('rsk_getStorageBytesAt', [address, position])
    // What is not there is a zero of one digit.
    return cell === '0x0' || cell === null ? EMPTY_BYTES : bytesOf(cell)
  }

  /** A cell of a native contract that the upstream tells in another way: REMASC has words alone, the Bridge names federations. */
  async #nativeCell(address: string, slot: string, position: string): Promise<Buffer> {
    if (address === REMASC)
      return bigIntToBytes(numberOf(await this.#read('eth_getStorageAt', [address, position])))
    if (address !== BRIDGE || !isFederationCell(slot)) throw noCellBytes()
    const call = async (data: string) => bytesOf(await this.#read('eth_call', [{ to: BRIDGE, data }]))
    this.#federations ??= fetchFederationCells(this.#spec, this.#base.number, call)
    try {
      return (await this.#federations).get(slot) ?? EMPTY_BYTES
    } catch (error) {
      // The next read asks again.
      this.#federations = null
      throw error
    }
  }

  /**
   * Whether an account without balance, nonce and code exists, for which a call costs less: the hash of its code as a
   * program sees it. The upper bytes of the word are no address, so that a precompiled contract is no exception. Before
   * RSKIP140 it is the gas of a call.
   */
  async #exists(address: string): Promise<boolean> {
    const from = address.toLowerCase() === PROBER ? PROBER_OF_PROBER : PROBER
    if (this.#base.hasCodeHash === false) {
      // A call would run them.
      if (isSystemContract(address) || BigInt(address) <= LAST_ETHEREUM_CONTRACT) return true
      // GAS, five times PUSH1 0, PUSH20 address, PUSH1 0, CALL, POP, GAS, SWAP1, SUB, PUSH1 0, MSTORE, PUSH1 32, PUSH1 0, RETURN
      const program = `0x5a${'6000'.repeat(5)}73${address.slice(2)}6000f1505a900360005260206000f3`
      return numberOf(await this.#read('eth_call', [{ from, data: program }])) < NEW_ACCOUNT_GAS
    }
    const word = `${'ff'.repeat(12)}${address.slice(2)}`
    // PUSH32 word, EXTCODEHASH, PUSH1 0, MSTORE, PUSH1 32, PUSH1 0, RETURN
    const data = `0x7f${word}3f60005260206000f3`
    const hash = await this.#read('eth_call', [{ from, data }])
    return numberOf(hash) !== 0n
  }

  async #read(method: string, params: readonly unknown[]): Promise<unknown> {
    try {
      return await this.#upstream.request(method, [...params, this.#block])
    } catch (error) {
      if (error instanceof UpstreamRefusal) throw await this.#explained(method, error)
      throw error
    }
  }

  async #explained(method: string, error: UpstreamRefusal): Promise<UpstreamError> {
    const { number } = this.#base
    if (isPruned(error)) return prunedState(number, error)
    if (isGone(error)) return reorganised(number)
    if (isMissingMethod(error)) {
      return new UpstreamError(
        'REFUSED',
        `the upstream does not give ${method}, which a fork needs (${error.message})`,
      )
    }
    const pruned = error.rpcCode === INTERNAL_ERROR ? await this.#prunedBalance() : null
    if (pruned !== null) return prunedState(number, pruned)
    return new UpstreamError('REFUSED', `the upstream refuses ${method} at block ${number}: ${error.message}`)
  }

  /** RSKj tells a state that it gave up in answers for balances and cells; those for code and calls are internal errors. */
  async #prunedBalance(): Promise<UpstreamRefusal | null> {
    try {
      await this.#upstream.request('eth_getBalance', [PROBER, this.#block])
      return null
    } catch (error) {
      return error instanceof UpstreamRefusal && isPruned(error) ? error : null
    }
  }
}

/** Nothing is read any more: the chain would go on from a block that its network has left. */
export function reorganised(number: number): UpstreamError {
  return new UpstreamError(
    'REORGANISED',
    `the upstream has another block ${number} than the one that this chain is a fork of: nothing more is read of it; begin a new fork`,
  )
}

/** What was asked was answered by one address, and what makes sure of it by another one, again and again. */
export function unsteady(): UpstreamError {
  return new UpstreamError(
    'DOWN',
    'the addresses of the upstream fail by turns, so that no answer is known to be of the block of the fork: try again, or name fewer of them with --fork-url',
  )
}

function noCellBytes(): UpstreamError {
  return new UpstreamError(
    'NEVER_GIVEN',
    'the upstream does not give rsk_getStorageBytesAt, without which the cells of the Bridge cannot be read: ' +
      'switch the method on there (RSKj: rpc.modules, rsk), or name another address with --fork-url',
  )
}

function isGone({ message }: UpstreamRefusal): boolean {
  return /not canonical|block .*not found|unknown block/i.test(message)
}

/** An account as bytes, without its code. */
export function encodeAccount(
  { exists, nonce, balance, contract }: UpstreamAccount,
  codeHash: Buffer,
): Buffer {
  const flags = Buffer.from([(exists ? 1 : 0) | (contract ? 2 : 0)])
  const short = bigIntToBytes(nonce)
  return Buffer.concat([flags, codeHash, Buffer.from([short.length]), short, bigIntToBytes(balance)])
}

/** The account of such bytes, and the hash of its code. */
export function decodeAccount(bytes: Buffer): { account: Omit<UpstreamAccount, 'code'>; codeHash: Buffer } {
  const flags = bytes[0] ?? 0
  const length = bytes[33] ?? 0
  return {
    codeHash: bytes.subarray(1, 33),
    account: {
      exists: (flags & 1) !== 0,
      contract: (flags & 2) !== 0,
      nonce: bytesToBigInt(bytes.subarray(34, 34 + length)),
      balance: bytesToBigInt(bytes.subarray(34 + length)),
    },
  }
}
