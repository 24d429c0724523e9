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
  WorkSharing,
} from './interface.ts'
import { sealBlock } from './seal.ts'
import { seedHashOfTime } from './seedHash.ts'
import { type CachedWork, WorkCache } from './workCache.ts'
import type { WorkServerParams } from './workServerParams.ts'
import { encodeTemplate, parseTemplate } from './workTemplate.ts'
import { WorkWaiters } from './workWaiters.ts'

/** Work that was built, or came from the node that builds it. */
interface BuiltWork {
  readonly work: MiningWork
  readonly builtAt: number
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
  readonly #cache = new WorkCache()
  #current: BuiltWork | null = null
  /** Whether the head or its state changed since the current work was built. */
  #isStale = true
  #built = 0
  #feesTold = 0n
  #askedAt = Number.NEGATIVE_INFINITY
  #submittedAt = Number.NEGATIVE_INFINITY
  #refreshTimer: NodeJS.Timeout | null = null
  #gatherTimer: NodeJS.Timeout | null = null
  /** Whether this node builds: one that shares work does when it is told to. */
  #isBuilder: boolean
  /** Work that the others are being given. */
  #publishing: Promise<MiningWork> | null = null
  /** Miners that wait for work of another node. */
  readonly #waiters = new WorkWaiters()

  constructor(params: WorkServerParams) {
    this.#params = params
    this.#isBuilder = params.shared === undefined
  }

  /** Starts to keep work up to date. */
  start(): void {
    if (this.#refreshTimer !== null) return
    this.#refreshTimer = setInterval(() => this.#update(), this.#params.options.refreshTime)
    this.#refreshTimer.unref()
  }

  stop(): void {
    if (this.#refreshTimer !== null) clearInterval(this.#refreshTimer)
    if (this.#gatherTimer !== null) clearTimeout(this.#gatherTimer)
    this.#refreshTimer = null
    this.#gatherTimer = null
    this.#waiters.end()
  }

  /** Call it for a new head before the other listeners, so that its work is ready in time. */
  headChanged(): void {
    this.#isStale = true
    this.#update()
  }

  /** Call it when transactions became pending. */
  pendingAdded(): void {
    if (!this.#params.options.onTransactions || this.#gatherTimer !== null || !this.#isAskedFor) return
    this.#gatherTimer = setTimeout(() => {
      this.#gatherTimer = null
      this.#update()
    }, GATHER_TIME)
  }

  /** Whether this node builds the work of all that share it. */
  setBuilder(isBuilder: boolean): void {
    if (this.#isBuilder === isBuilder) return
    this.#isBuilder = isBuilder
    this.#isStale = true
    this.#update()
  }

  /**
   * Takes the template of the node that builds.
   * @throws RlpError, CodecError, RangeError when it does not parse
   */
  receive(template: Buffer): void {
    const { shared, now, listener } = this.#params
    if (shared === undefined || this.#isBuilder) return
    const { block, notify } = parseTemplate(shared.spec, template)
    const built = { work: this.#workOf(block, notify), builtAt: now() }
    this.#cache.add(built.work.hashForMergedMining, { block, builtAt: built.builtAt, bytes: template.length })
    this.#current = built
    listener.onWork(built.work)
    if (!built.work.parentHash.equals(shared.head())) return
    this.#waiters.answer(built.work)
  }

  work(): MiningWork | Promise<MiningWork> {
    const { now, options, shared } = this.#params
    this.#askedAt = now()
    const current = this.#current
    const isYoung = current !== null && this.#askedAt - current.builtAt < options.refreshTime
    if (shared !== undefined && !this.#isBuilder) {
      const isOnHead = current?.work.parentHash.equals(shared.head()) === true
      if (!isYoung || !isOnHead) shared.sharing.ask()
      return current !== null && isOnHead ? current.work : this.#waiters.wait()
    }
    return current !== null && isYoung && !this.#isStale ? current.work : this.#build()
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
    if (!this.#isAskedFor || !this.#isBuilder) return
    const { onFailure } = this.#params.listener
    try {
      const built = this.#build()
      if (built instanceof Promise) built.catch(onFailure)
    } catch (error) {
      onFailure(error)
    }
  }

  #build(): MiningWork | Promise<MiningWork> {
    const { build, now, shared } = this.#params
    if (this.#publishing !== null && !this.#isStale) return this.#publishing
    const block = build()
    const { header } = block
    const fees = header.fields.paidFees ?? 0n
    const notify = this.#isWorthNotifying(header, fees)
    if (notify) this.#feesTold = fees
    const work = this.#workOf(block, notify)
    const builtAt = now()
    this.#cache.add(work.hashForMergedMining, { block, builtAt })
    this.#isStale = false
    if (shared === undefined) return this.#handOut({ work, builtAt })
    return this.#publish(shared.sharing, encodeTemplate({ block, notify }), { work, builtAt })
  }

  /** Hands work out when the others have it: the solution of a miner counts wherever it is submitted. */
  #publish(sharing: WorkSharing, template: Buffer, built: BuiltWork): Promise<MiningWork> {
    const publishing = sharing
      .publish(template)
      .then(() => {
        // What was built later may have been acknowledged earlier.
        const isOlder = this.#current !== null && this.#current.work.serial > built.work.serial
        return isOlder ? built.work : this.#handOut(built)
      })
      .catch((error: unknown) => {
        this.#isStale = true
        throw error
      })
      .finally(() => {
        if (this.#publishing === publishing) this.#publishing = null
      })
    this.#publishing = publishing
    return publishing
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

  #isWorthNotifying(header: BlockHeader, fees: bigint): boolean {
    if (this.#current?.work.parentHash.equals(header.parentHash) !== true) return true
    // The division truncates, as in the reference.
    const least = (this.#feesTold * NOTIFY_PERCENTAGE) / 100n
    return fees > least && fees >= this.#params.options.notifyFees
  }

  #recordSubmission(result: SubmissionResult, work: CachedWork | null): void {
    const age = work === null ? null : (this.#params.now() - work.builtAt) / 1000
    this.#params.listener.onSubmission(result, age)
  }
}

function refused(reason: string): SolutionOutcome {
  return { status: 'refused', reason }
}
