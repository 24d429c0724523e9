import type { NetworkSpec } from '../config/networkSpec.ts'
import { keccak256 } from '../native/crypto.ts'
import type { StateStore } from '../native/stateStore.ts'
import type { ForkWanted } from '../native/types.ts'
import type { UpstreamAnswers } from '../storage/upstreamAnswers.ts'
import { bigIntToBytes, fromHex, toHex } from '../util/bytes.ts'
import { decodeAncestor, encodeAncestor } from './ancestorRecord.ts'
import { UpstreamError } from './errors.ts'
import { type ForkBase, forkAncestor, forkBlock, hashAt } from './forkBase.ts'
import type { ProvenAccount } from './provenState.ts'
import type { SharedStats } from './sharedStats.ts'
import type { Upstream } from './upstream.ts'
import { fetchBlock } from './upstreamBlock.ts'
import {
  decodeAccount,
  encodeAccount,
  isPrecompiled,
  reorganised,
  type UpstreamAccount,
  UpstreamState,
  unsteady,
} from './upstreamState.ts'

/** Blocks that are fetched ahead of one that is asked for: the next blocks of the fork ask for the next ones. */
const BLOCKS_AHEAD = 16
/** Times that something is fetched while addresses change. */
const MAX_ATTEMPTS = 3

/** Kinds of answers in keys. */
const KINDS = { account: 1, cell: 2, block: 3, code: 4 } as const

/** An answer, and how it is kept. */
interface Found {
  readonly give: () => void
  readonly keep: readonly (readonly [key: Buffer, value: Buffer])[]
}

/** Proofs under way by address; the reason where one failed. */
type Proofs = ReadonlyMap<string, Promise<ProvenAccount | Error>>

/** Sources of the answers to the reads of a fork: earlier runs, else the upstream. */
export interface ForkReadsParts {
  readonly spec: NetworkSpec
  readonly base: ForkBase
  readonly store: StateStore
  readonly upstream: Upstream
  readonly answers: Pick<UpstreamAnswers, 'get' | 'put' | 'flush'>
  readonly stats: SharedStats
  /** Called once when answers cannot be kept: reads go on without. */
  readonly onUnkept: (reason: string) => void
  /** The upstream is not asked. */
  readonly offline: boolean
  /** Height of the block of the fork where `base` is one below it. */
  readonly forkNumber?: number
}

/**
 * Answers what threads that execute ask for. What is asked for in one turn is fetched at once; then the upstream is
 * asked whether its chain still has the block of the fork, unless all was answered by that block's hash: old blocks never
 * are. If it has not, none of it is kept or given, and nothing is asked any more, in no thread.
 */
export class ForkReads {
  readonly #parts: ForkReadsParts
  readonly #state: UpstreamState
  readonly #prefix: Buffer
  /** Blocks that were asked for or fetched ahead, by height, with their hash and that of their parent. */
  readonly #blocks = new Map<number, { readonly hash: string; readonly parent: string }>()
  readonly #fetching = new Set<number>()
  /** State root of the block of the fork. */
  #root: Buffer | null = null
  #wanted: ForkWanted[] = []
  /** Wishes without an answer. */
  #open = 0
  #onSettled: (() => void)[] = []
  /** What answers by the hash of the block need no look at, until there is another address. */
  #isChecked: boolean
  #isUnkept = false

  constructor(parts: ForkReadsParts) {
    this.#parts = parts
    this.#state = new UpstreamState(parts.upstream, parts.base, parts.spec)
    this.#prefix = fromHex(parts.base.hash)
    this.#isChecked = parts.base.servesHashes
    this.#blocks.set(parts.base.number, { hash: parts.base.hash, parent: parts.base.parentHash })
    // Another node may be on another branch.
    parts.upstream.onSwitch = () => {
      this.#isChecked = false
    }
  }

  /**
   * Height up to which blocks can be made without asking the upstream, as far as rewards go: each block pays for the one
   * that is so many blocks below it.
   */
  get lastRewarded(): number {
    const { answers, base, spec } = this.#parts
    const { maturity } = spec.remasc
    let number = base.number + 1
    const isKept = (old: number) =>
      old <= 0 || old >= base.number || answers.get(this.#keyOf({ number: old })) !== undefined
    while (number - maturity < base.number && isKept(number - maturity)) number += 1
    return number - maturity < base.number ? number - 1 : Number.POSITIVE_INFINITY
  }

  /** Takes a wish; its answer goes to the store. */
  ask(wanted: ForkWanted): void {
    this.#open += 1
    this.#wanted.push(wanted)
    if (this.#wanted.length === 1) setImmediate(() => void this.#answerAll(this.#takeWanted()))
  }

  /** Resolves when every wish that came has its answer. */
  async settled(): Promise<void> {
    if (this.#open > 0) await new Promise<void>((resolve) => this.#onSettled.push(resolve))
  }

  #takeWanted(): readonly ForkWanted[] {
    const wanted = this.#wanted
    this.#wanted = []
    return wanted
  }

  /** Whatever goes wrong, nobody is left to wait. */
  async #answerAll(wanted: readonly ForkWanted[]): Promise<void> {
    try {
      await this.#answer(wanted)
    } catch (error) {
      const failure = toUpstreamError(error)
      for (const one of wanted) this.#refuse(one, failure)
    } finally {
      this.#open -= wanted.length
      if (this.#open === 0) for (const settled of this.#onSettled.splice(0)) settled()
    }
  }

  async #answer(wanted: readonly ForkWanted[]): Promise<void> {
    const left = wanted.filter((one) => !this.#giveKept(one))
    if (left.length === 0) return
    const isByNumber = !this.#parts.base.servesHashes || left.some(isBlock)
    const { found, stop } = await this.#pinned(isByNumber, () => {
      for (const one of left) if (isBlock(one)) this.#forget(one.number ?? 0)
      const proofs = this.#proofsOf(left)
      return Promise.all(left.map((one) => this.#fetch(one, proofs)))
    })
    found.forEach((result, index) => {
      const one = left[index] as ForkWanted
      if (stop !== null) this.#refuse(one, stop)
      else if (result instanceof UpstreamError) this.#refuse(one, result)
      else {
        this.#keep(result)
      }
    })
    this.#flush()
  }

  #keep({ keep, give }: Found): void {
    for (const [key, value] of keep) this.#parts.answers.put(key, value)
    give()
  }

  /** A full disk ends no read. */
  #flush(): void {
    try {
      this.#parts.answers.flush()
    } catch (error) {
      if (this.#isUnkept) return
      this.#isUnkept = true
      this.#parts.onUnkept(error instanceof Error ? error.message : String(error))
    }
  }

  /**
   * What is fetched, and the reason why none of it counts; null where the upstream still has the block of the fork.
   * @param isByNumber true when something is not asked for by the hash of a block
   */
  async #pinned<T>(
    isByNumber: boolean,
    ask: () => Promise<T>,
  ): Promise<{ found: T; stop: UpstreamError | null }> {
    const { upstream } = this.#parts
    for (let attempt = 1; ; attempt += 1) {
      const { switches } = upstream
      const found = await ask()
      const stop = this.#stopped ?? (await this.#checkPin(isByNumber))
      // Another address may be on another branch: it says nothing of what the one before it answered.
      if (stop !== null || !isByNumber || switches === upstream.switches) return { found, stop }
      if (attempt === MAX_ATTEMPTS) return { found, stop: unsteady() }
    }
  }

  async #checkPin(isByNumber: boolean): Promise<UpstreamError | null> {
    const { base, upstream, offline } = this.#parts
    if (offline || (this.#isChecked && !isByNumber)) return null
    try {
      if ((await hashAt(upstream, base.number)) !== base.hash) return this.#stop()
      this.#isChecked = base.servesHashes
      return null
    } catch (error) {
      return toUpstreamError(error)
    }
  }

  /** The reason why nothing is read any more, which another thread may have found; null while there is none. */
  get #stopped(): UpstreamError | null {
    return this.#parts.stats.get('reorganised') > 0 ? this.#reorganised() : null
  }

  #stop(): UpstreamError {
    this.#parts.stats.add('reorganised', 1)
    return this.#reorganised()
  }

  #reorganised(): UpstreamError {
    return reorganised(this.#parts.forkNumber ?? this.#parts.base.number)
  }

  #refuse(wanted: ForkWanted, { code, message }: UpstreamError): void {
    this.#parts.store.refuseForkRead(wanted, message, code === 'NEVER_GIVEN')
  }

  /** One proof for each account with all of its cells that are wanted; none where the upstream proves nothing. */
  #proofsOf(wanted: readonly ForkWanted[]): Proofs {
    const { base, offline, spec } = this.#parts
    const slots = new Map<string, string[]>()
    if (base.proves !== true || offline || this.#stopped !== null) return new Map()
    for (const { address, slot } of wanted) {
      if (address === undefined) continue
      const all = slots.get(address) ?? []
      if (slot !== undefined) all.push(slot)
      slots.set(address, all)
    }
    this.#root ??= forkBlock(spec, base).header.fields.stateRoot
    const root = this.#root
    return new Map(
      [...slots].map(([address, all]) => [address, settled(this.#state.proven(address, all, root))]),
    )
  }

  async #fetch(wanted: ForkWanted, proofs: Proofs): Promise<Found | UpstreamError> {
    try {
      const stop = this.#stopped
      if (stop !== null) return stop
      if (this.#parts.offline) return offline(wanted)
      return await this.#fetchAny(wanted, await proofs.get(wanted.address ?? ''))
    } catch (error) {
      const failure = toUpstreamError(error)
      return failure.code === 'REORGANISED' ? this.#stop() : failure
    }
  }

  async #fetchAny(wanted: ForkWanted, proof: ProvenAccount | Error | undefined): Promise<Found> {
    if (proof instanceof Error) throw proof
    const { store } = this.#parts
    const { address, slot, number } = wanted
    if (address === undefined) return await this.#fetchBlock(number ?? 0)
    if (slot !== undefined) {
      const value = proof?.cells.get(slot) ?? (await this.#state.cell(address, slot))
      return { give: () => store.giveForkCell(wanted, value), keep: [[this.#keyOf(wanted), value]] }
    }
    const account = await (proof === undefined
      ? this.#state.account(address)
      : this.#provenAccount(address, proof))
    const hash = keccak256(account.code)
    const keep: [Buffer, Buffer][] = [[this.#keyOf(wanted), encodeAccount(account, hash)]]
    if (account.code.length > 0) keep.push([codeKey(hash), account.code])
    return { give: () => this.#giveAccount(wanted, account), keep }
  }

  /** Code that is kept by its hash is not asked for. */
  async #provenAccount(
    address: string,
    { exists, nonce, balance, codeHash }: ProvenAccount,
  ): Promise<UpstreamAccount> {
    const code = codeHash.equals(EMPTY_HASH)
      ? Buffer.alloc(0)
      : (this.#parts.answers.get(codeKey(codeHash)) ?? (await this.#state.provenCode(address, codeHash)))
    return { exists, nonce, balance, code, contract: exists && (code.length > 0 || isPrecompiled(address)) }
  }

  async #fetchBlock(number: number): Promise<Found> {
    const found = await this.#foundBlock(number)
    this.#fetchAhead(number)
    return found
  }

  async #foundBlock(number: number): Promise<Found> {
    const { upstream, spec, store } = this.#parts
    const block = await fetchBlock(upstream, spec, number)
    this.#link(number, toHex(block.header.hash), toHex(block.header.parentHash))
    const ancestor = forkAncestor(block)
    return {
      give: () => store.giveForkBlock(ancestor),
      keep: [[this.#keyOf({ number }), encodeAncestor(ancestor)]],
    }
  }

  /** A block must be the parent of the one above it and the child of the one below it, where these are known. */
  #link(number: number, hash: string, parent: string): void {
    const above = this.#blocks.get(number + 1)
    const below = this.#blocks.get(number - 1)
    if ((above !== undefined && above.parent !== hash) || (below !== undefined && below.hash !== parent)) {
      throw new UpstreamError('MALFORMED', `the upstream's block ${number} is not on the branch of the fork`)
    }
    this.#blocks.set(number, { hash, parent })
  }

  /** What is known of a block that is fetched again. */
  #forget(number: number): void {
    if (number < this.#parts.base.number) this.#blocks.delete(number)
  }

  #fetchAhead(from: number): void {
    const { answers, base } = this.#parts
    const last = Math.min(from + BLOCKS_AHEAD, base.number - 1)
    const numbers: number[] = []
    for (let number = from + 1; number <= last; number += 1) {
      if (this.#fetching.has(number) || this.#blocks.has(number)) continue
      if (answers.get(this.#keyOf({ number })) === undefined) numbers.push(number)
    }
    if (numbers.length > 0) void this.#ahead(numbers)
  }

  async #ahead(numbers: readonly number[]): Promise<void> {
    for (const number of numbers) this.#fetching.add(number)
    try {
      const { found, stop } = await this.#pinned(true, () => {
        for (const number of numbers) this.#forget(number)
        return Promise.all(numbers.map((number) => settled(this.#foundBlock(number))))
      })
      if (stop !== null) return
      for (const block of found) {
        // Whoever needs one that is missing asks for it, and gets the reason why there is none.
        if (!(block instanceof Error)) this.#keep(block)
      }
      this.#flush()
    } catch {
      // The store may be closed by now.
    } finally {
      for (const number of numbers) this.#fetching.delete(number)
    }
  }

  /** Gives what an earlier run has kept; whether it did. */
  #giveKept(wanted: ForkWanted): boolean {
    const { store, answers } = this.#parts
    const bytes = answers.get(this.#keyOf(wanted))
    if (bytes === undefined) return false
    const { address, slot } = wanted
    if (address === undefined) {
      store.giveForkBlock(decodeAncestor(bytes))
      if (!this.#parts.offline) this.#fetchAhead(wanted.number ?? 0)
    } else if (slot !== undefined) store.giveForkCell(wanted, bytes)
    else {
      const { account, codeHash } = decodeAccount(bytes)
      const code = codeHash.equals(EMPTY_HASH) ? Buffer.alloc(0) : answers.get(codeKey(codeHash))
      // What came first goes first: its code may be gone.
      if (code === undefined) return false
      this.#giveAccount(wanted, { ...account, code })
    }
    this.#parts.stats.add('kept', 1)
    return true
  }

  #giveAccount(wanted: ForkWanted, { exists, nonce, balance, code, contract }: UpstreamAccount): void {
    this.#parts.store.giveForkAccount(wanted, {
      exists,
      nonce: bigIntToBytes(nonce),
      balance: bigIntToBytes(balance),
      code,
      contract,
    })
  }

  #keyOf({ address, slot, number }: ForkWanted): Buffer {
    const parts = [this.#prefix]
    if (address === undefined) parts.push(Buffer.from([KINDS.block]), heightBytes(number ?? 0))
    else if (slot === undefined) parts.push(Buffer.from([KINDS.account]), fromHex(address))
    else parts.push(Buffer.from([KINDS.cell]), fromHex(address), fromHex(slot))
    return Buffer.concat(parts)
  }
}

function isBlock({ address }: ForkWanted): boolean {
  return address === undefined
}

const EMPTY_HASH = keccak256(Buffer.alloc(0))

/** Nobody has to wait for what comes. */
function settled<T>(promise: Promise<T>): Promise<T | Error> {
  return promise.catch((error: unknown) => toUpstreamError(error))
}

/** Code is the same whichever network and block has it. */
function codeKey(hash: Buffer): Buffer {
  return Buffer.concat([Buffer.from([KINDS.code]), hash])
}

function heightBytes(number: number): Buffer {
  const bytes = Buffer.alloc(6)
  bytes.writeUIntBE(number, 0, bytes.length)
  return bytes
}

function offline({ address, slot, number }: ForkWanted): UpstreamError {
  const what =
    address === undefined
      ? `block ${number}`
      : slot === undefined
        ? `account ${address}`
        : `cell ${slot} of ${address}`
  return new UpstreamError(
    'OFFLINE',
    `${what} was never fetched: start without --offline to ask the upstream for it`,
  )
}

function toUpstreamError(error: unknown): UpstreamError {
  if (error instanceof UpstreamError) return error
  const { message } = error as { message?: string }
  return new UpstreamError(
    'MALFORMED',
    `an answer of the upstream cannot be read: ${String(message ?? error)}`,
  )
}
