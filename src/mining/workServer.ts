import type { Block } from '../chain/codec/block.ts'
import type { BlockHeader } from '../chain/codec/header.ts'
import { miningTarget, solveTemplate } from '../native/mergedMining.ts'
import type { MiningFields } from '../native/types.ts'
import { bigIntToBytes, toHex } from '../util/bytes.ts'
import {
  type BitcoinSolution,
  MalformedSolutionError,
  type PoolSolution,
  readSolution,
} from './bitcoinSolution.ts'
import type {
  MiningService,
  MiningWork,
  SolutionOutcome,
  SubmissionResult,
  TemplateSolution,
} from './interface.ts'
import { sealBlock } from './seal.ts'
import { seedHashOfTime } from './seedHash.ts'
import { type CachedWork, WorkCache } from './workCache.ts'
import type { WorkServerParams } from './workServerParams.ts'
import { encodeTemplate, parseTemplate } from './workTemplate.ts'

/** Work that was built here, or came from another node. */
interface BuiltWork {
  readonly work: MiningWork
  readonly builtAt: number
  readonly isOwn: boolean
}

/**
 * Idle time in milliseconds after which mining is considered stopped: work is then built on request, not with
 * every block. Pools poll every second or two.
 */
const IDLE_TIME = 600_000

/**
 * Debounce time of new transactions before work is rebuilt, milliseconds: building costs milliseconds, and
 * transactions may arrive by the thousand. Revise with `mining_works_built_total`.
 */
const GATHER_TIME = 100

/** Work on the same parent is announced when its fees reach this percentage of those announced last. */
const NOTIFY_PERCENTAGE = 110n

/**
 * Hands out blocks for merged mining and accepts their solutions (mining.md §2, §5). Belongs to the chain
 * thread.
 */
export class WorkServer implements MiningService {
  readonly #params: WorkServerParams
  readonly #cache: WorkCache
  #current: BuiltWork | null = null
  /** True when the head or its state changed since the current work was built. */
  #isStale = true
  #built = 0
  #announcedFees = 0n
  #askedAt = Number.NEGATIVE_INFINITY
  #submittedAt = Number.NEGATIVE_INFINITY
  #refreshTimer: NodeJS.Timeout | null = null
  #gatherTimer: NodeJS.Timeout | null = null

  constructor(params: WorkServerParams) {
    this.#params = params
    this.#cache = new WorkCache(params.shared !== undefined)
  }

  /** Starts to keep work up to date. */
  start(): void {
    if (this.#refreshTimer !== null) return
    this.#refreshTimer = setInterval(() => this.#refresh(), this.#params.options.refreshTime)
    this.#refreshTimer.unref()
  }

  stop(): void {
    if (this.#refreshTimer !== null) clearInterval(this.#refreshTimer)
    if (this.#gatherTimer !== null) clearTimeout(this.#gatherTimer)
    this.#refreshTimer = null
    this.#gatherTimer = null
  }

  /** Call it for a new head before the other listeners, so that its work is ready in time. */
  headChanged(): void {
    // Where blocks are adopted later than they are executed, work is on the best one already.
    if (this.#params.shared !== undefined && this.#isOnBest(this.#current)) return
    this.#isStale = true
    if (!this.#isAskedFor || !this.#takeReceived()) this.#update()
  }

  /** Call it when something else changed that blocks are made of. */
  changed(): void {
    this.#isStale = true
    this.#update()
  }

  /** Call it when transactions became pending. */
  pendingAdded(): void {
    if (!this.#params.options.onTransactions || this.#gatherTimer !== null || !this.#isAskedFor) return
    const since = this.#params.now()
    this.#gatherTimer = setTimeout(() => {
      this.#gatherTimer = null
      // What another node built meanwhile has them, too.
      if (!this.#hasReceived(since)) this.#update()
    }, GATHER_TIME)
  }

  /**
   * Takes the template of another node: its solutions count here, and it may be handed out (fleet.md §9).
   * @throws RlpError, CodecError, RangeError when it does not parse
   */
  receive(from: string, template: Buffer): void {
    const { shared, now } = this.#params
    if (shared === undefined) return
    const block = parseTemplate(shared.spec, template)
    const hash = block.header.hashForMergedMining()
    this.#cache.add(hash, { block, from, builtAt: now(), bytes: template.length })
    if (this.#isAskedFor && block.header.parentHash.equals(shared.best())) this.#takeReceived()
  }

  work(): MiningWork {
    const { now, options } = this.#params
    this.#askedAt = now()
    const current = this.#current
    const isFresh =
      current !== null && !this.#isStale && this.#askedAt - current.builtAt < options.refreshTime
    return isFresh || this.#takeReceived() ? this.#handedOut() : this.#build()
  }

  #handedOut(): MiningWork {
    if (this.#current === null) throw new Error('there is no work')
    return this.#current.work
  }

  submit(solution: PoolSolution): SolutionOutcome {
    let read: BitcoinSolution
    try {
      read = readSolution(solution)
    } catch (error) {
      return this.#malformed(error)
    }
    return this.#import(read.work, () => read.fields())
  }

  submitTemplate({ nonce, work, seed }: TemplateSolution): SolutionOutcome {
    return this.#import(work, ({ header }) => {
      const expected = seedHashOfTime(header.timestamp)
      if (!expected.equals(seed)) return null
      return solveTemplate(work, header.timestamp, nonce)
    })
  }

  /** Order of mining.md §5. */
  #import(hash: Buffer, fieldsOf: (block: Block) => MiningFields | null): SolutionOutcome {
    const { now, options, isProven } = this.#params
    if (now() - this.#submittedAt < options.submissionInterval) {
      this.#recordSubmission('rate_limited', null)
      return refused('Cannot publish block, block submission rate limit exceeded')
    }
    this.#submittedAt = now()
    const known = this.#cache.get(hash)
    if (known === undefined) {
      this.#recordSubmission('unknown_work', null)
      return refused(`Cannot publish block, could not find hash ${toHex(hash)} in the cache`)
    }
    let fields: MiningFields | null
    try {
      fields = fieldsOf(known.block)
    } catch (error) {
      return this.#malformed(error)
    }
    const block = fields === null ? null : sealBlock(known.block, fields)
    if (block === null || !isProven(block.header)) {
      this.#recordSubmission('invalid_proof', known)
      const name = `${block?.hashHex ?? known.block.hashHex} ${hash.toString('hex')}`
      return refused(`Invalid block supplied by miner: ${name} at height ${known.block.number}`)
    }
    return this.#connect(block, known)
  }

  #connect(block: Block, known: CachedWork): SolutionOutcome {
    const result = this.#params.connect(block)
    if (result.status === 'UNDECIDED') throw result.error
    // A block mined here builds on the head, for which all states are stored.
    const word = result.status === 'TOO_OLD' ? 'NO_PARENT' : result.status
    this.#recordSubmission(word.toLowerCase() as SubmissionResult, known)
    return { status: 'imported', word, hash: block.hash, number: block.number }
  }

  #malformed(error: unknown): SolutionOutcome {
    if (!(error instanceof MalformedSolutionError)) throw error
    this.#recordSubmission('malformed', null)
    return { status: 'malformed', reason: error.message }
  }

  get #isAskedFor(): boolean {
    return this.#params.now() - this.#askedAt < IDLE_TIME
  }

  /** Builds work while somebody mines; failures are reported to the listener, as no caller waits. */
  #update(): void {
    if (!this.#isAskedFor) return
    try {
      this.#build()
    } catch (error) {
      this.#params.listener.onFailure(error)
    }
  }

  #refresh(): void {
    if (!this.#hasReceived(this.#params.now() - this.#params.options.refreshTime)) this.#update()
  }

  /** True when what is handed out came from another node since a time. */
  #hasReceived(since: number): boolean {
    const current = this.#current
    return current !== null && !this.#isStale && !current.isOwn && current.builtAt > since
  }

  #isOnBest(built: BuiltWork | null): boolean {
    return built !== null && this.#params.shared?.best().equals(built.work.parentHash) === true
  }

  /**
   * Hands out work of another node that is young enough, unless what is handed out is better; whether it does. All that
   * received the same work choose the same: the one with the most fees, of those the newest.
   */
  #takeReceived(): boolean {
    const { shared, now, options } = this.#params
    if (shared === undefined) return false
    const received = this.#cache.received(shared.best(), now() - options.refreshTime)
    const [first, ...others] = received
    if (first === undefined) return false
    const best = others.reduce((one, other) => (isBetter(other.block, one.block) ? other : one), first)
    const { block, builtAt } = best
    const current = this.#current
    if (current !== null && !this.#isStale && this.#isOnBest(current)) {
      const held = this.#cache.get(current.work.hashForMergedMining)?.block
      if (held !== undefined && !isBetter(block, held)) return false
    }
    this.#isStale = false
    this.#handOut({ work: this.#workOf(block, this.#recordFees(block.header)), builtAt, isOwn: false })
    return true
  }

  #build(): MiningWork {
    const { build, now, shared } = this.#params
    const block = build()
    const work = this.#workOf(block, this.#recordFees(block.header))
    const builtAt = now()
    this.#cache.add(work.hashForMergedMining, { block, builtAt })
    this.#isStale = false
    shared?.sharing.announce(encodeTemplate(block))
    return this.#handOut({ work, builtAt, isOwn: true })
  }

  #handOut(built: BuiltWork): MiningWork {
    this.#current = built
    this.#params.listener.onWork(built.work)
    return built.work
  }

  #workOf({ header }: Block, notify: boolean): MiningWork {
    this.#built += 1
    return {
      serial: this.#built,
      hashForMergedMining: header.hashForMergedMining(),
      target: miningTarget(bigIntToBytes(header.difficulty)),
      fees: header.fields.paidFees ?? 0n,
      notify,
      parentHash: header.parentHash,
      timestamp: header.timestamp,
    }
  }

  /** True when miners are to be notified of work; if so, its fees are what the next is compared with. */
  #recordFees(header: BlockHeader): boolean {
    const fees = header.fields.paidFees ?? 0n
    const notify = this.#isWorthNotifying(header, fees)
    if (notify) this.#announcedFees = fees
    return notify
  }

  #isWorthNotifying(header: BlockHeader, fees: bigint): boolean {
    if (this.#current?.work.parentHash.equals(header.parentHash) !== true) return true
    // The division truncates, as in the reference.
    const least = (this.#announcedFees * NOTIFY_PERCENTAGE) / 100n
    return fees > least && fees >= this.#params.options.notifyFees
  }

  #recordSubmission(result: SubmissionResult, work: CachedWork | null): void {
    const age = work === null ? null : (this.#params.now() - work.builtAt) / 1000
    this.#params.listener.onSubmission(result, age)
  }
}

/** True when one block is to be solved rather than another on the same parent. */
function isBetter(one: Block, other: Block): boolean {
  const [fees, otherFees] = [one.header.fields.paidFees ?? 0n, other.header.fields.paidFees ?? 0n]
  if (fees !== otherFees) return fees > otherFees
  if (one.header.timestamp !== other.header.timestamp) return one.header.timestamp > other.header.timestamp
  return Buffer.compare(one.header.hashForMergedMining(), other.header.hashForMergedMining()) < 0
}

function refused(reason: string): SolutionOutcome {
  return { status: 'refused', reason }
}
