import type { Blockchain } from '../../chain/blockchain.ts'
import { type Block, parseBlock } from '../../chain/codec/block.ts'
import { CodecError } from '../../chain/codec/errors.ts'
import { RlpError } from '../../chain/codec/rlpReader.ts'
import type { NetworkSpec } from '../../config/networkSpec.ts'
import type { BlockClock, ClockState } from '../../mining/blockClock.ts'
import {
  type BlockBodies,
  type BlockInterval,
  type BlockProducer,
  GROUP_MILLISECONDS,
  type MineRequest,
  type ProducerMode,
} from '../../mining/blockProducer.ts'
import { MiningError } from '../../mining/errors.ts'
import type { AccountEdit, PlacedTransaction } from '../../rpc/devCommands.ts'
import { invalidParams, RpcError } from '../../rpc/errors.ts'
import { toHex } from '../../util/bytes.ts'
import type { AnvilState } from './anvilState.ts'
import type { StateEdits } from './chainDump.ts'
import { type DumpStep, readDump } from './chainDump.ts'
import { readBodies } from './readBodies.ts'
import type { FundedAccount, StateEditor } from './stateEditor.ts'

/** The chain as it was when a snapshot was taken. */
interface Snapshot {
  readonly id: number
  readonly number: number
  readonly edits: StateEdits
  /** null for a clock that nobody moved. */
  readonly clock: ClockState | null
}

/**
 * Snapshots and state roots of edited blocks in them that are kept: some 60 MB. Whoever may take snapshots owns the
 * chain, so that they are bounded for all clients together.
 */
const MAX_SNAPSHOT_ENTRIES = 250_000

/** The parts through which a development chain is controlled. */
export interface DevControlParams {
  readonly spec: NetworkSpec
  readonly chain: Blockchain
  readonly clock: BlockClock
  readonly producer: BlockProducer
  readonly editor: StateEditor
  /** Accounts that exist from the beginning on, beside those of genesis. */
  readonly funded: readonly FundedAccount[]
  /** To be called when the state after the head is no longer what it was, the head itself being the same. */
  readonly onStateEdited: () => void
  /** To be called when a block joined beside the canonical chain. */
  readonly onSideBlock: () => void
  /** Empties the transaction pool. */
  readonly clearPool: () => void
  /** @throws StorageError `STORAGE_UNWRITABLE` while the stores take no writes */
  readonly assertWritable: () => void
  /** Resolves when everything that was done is on disk. */
  readonly commit: () => Promise<void>
  /** Resolves when the chain is on disk; what the pool forgets of it follows. */
  readonly flushed: () => Promise<void>
  /** True when the node stops: what takes its time ends early. */
  readonly isStopping: () => boolean
}

/** Snapshots, time, modes and edits of a development chain (rpc.md §3.8). Belongs to the chain thread. */
export class DevControl {
  readonly #params: DevControlParams
  #snapshots: Snapshot[] = []
  /** Id of the last snapshot: whoever still has one from before a reset must not go back to another. */
  #lastSnapshotId = 0
  /** Snapshots, and the edits that each has of its own. */
  #snapshotEntries = 0
  /** Of the blocks that were stopped; null when none were. */
  #stoppedInterval: BlockInterval | null = null

  constructor(params: DevControlParams) {
    this.#params = params
  }

  /**
   * Remembers the chain as it is.
   * @returns the snapshot's id, from 1; none is given twice
   * @throws RpcError -32005 when there are too many, each with all edits of its time
   */
  snapshot(): number {
    const { chain, editor, clock } = this.#params
    const edits = editor.current()
    const entries = this.#snapshotEntries + entriesOf(edits)
    if (entries > MAX_SNAPSHOT_ENTRIES)
      throw new RpcError(
        'limited',
        `limit exceeded: ${this.#snapshots.length} snapshots are kept; going back to one forgets those behind it`,
      )
    this.#snapshotEntries = entries
    this.#lastSnapshotId += 1
    const id = this.#lastSnapshotId
    this.#snapshots.push({ id, number: chain.head.number, edits, clock: clock.state() })
    return id
  }

  /** Goes back to a snapshot; later ones are forgotten, it stays. False when there is none of that id. */
  async revert(id: bigint): Promise<boolean> {
    const index = this.#snapshots.findIndex((snapshot) => BigInt(snapshot.id) === id)
    const snapshot = this.#snapshots[index]
    if (snapshot === undefined) return false
    this.#keepSnapshots(this.#snapshots.slice(0, index + 1))
    this.#goBack(snapshot)
    await this.#params.flushed()
    return true
  }

  /**
   * Rewinds the chain by so many blocks and empties the pool. Snapshots of a higher chain are forgotten.
   * @throws RpcError -32602 when there are not so many blocks
   */
  async rollback(depth: number): Promise<void> {
    this.#rewind(depth, false)
    await this.#params.flushed()
  }

  /** @throws RpcError -32602 when there are not so many blocks */
  #assertDepth(depth: number): void {
    const { chain, spec } = this.#params
    const height = chain.head.number - (spec.fork?.number ?? 0)
    if (depth > height) throw invalidParams(`Invalid depth ${depth}: the chain has ${height} blocks`)
  }

  #rewind(depth: number, keepsPool: boolean): void {
    const { chain, editor, clock } = this.#params
    this.#assertDepth(depth)
    const number = chain.head.number - depth
    const edits = [...editor.current()].filter(([hash]) => {
      const edited = chain.reader.heightOf(Buffer.from(hash, 'hex'))
      return edited !== null && edited <= number
    })
    this.#keepSnapshots(this.#snapshots.filter((snapshot) => snapshot.number <= number))
    this.#goBack({ number, edits: new Map(edits), clock: clock.state() }, keepsPool)
    this.#fund()
  }

  /**
   * Replaces the newest blocks by as many others. The pool stays; what stood in the blocks that leave is gone, and
   * snapshots of a higher chain are forgotten.
   * @param depth number of blocks
   * @param transactions what each of the new blocks is to hold, by its index; what does not fit is left out
   * @param isUnwanted asked between two blocks: whether nobody waits for the rest any more
   * @throws RpcError -32602 when there are not so many blocks, or for bytes that are no transaction, which changes
   *   nothing; -32005 with the number of blocks when it was ended early
   */
  async reorganise(
    depth: number,
    transactions: readonly PlacedTransaction[],
    isUnwanted?: () => boolean,
  ): Promise<void> {
    const { spec, chain, clock, assertWritable } = this.#params
    const bodies = await readBodies(spec, transactions)
    this.#assertDepth(depth)
    if (depth === 0) return
    assertWritable()
    const ancestor = chain.reader.headerByNumber(chain.head.number - depth)
    const replaced = chain.reader.headerByNumber(chain.head.number - depth + 1)
    if (ancestor !== null && replaced !== null) {
      const time = clock.next(ancestor.timestamp)
      // Of the same time the first block could be the one that it replaces.
      if (replaced.timestamp === time) refuse(() => clock.setTo(time + 1, ancestor.timestamp))
    }
    // The first of the new blocks is made in the same turn, before anybody else makes one.
    this.#rewind(depth, true)
    await this.#mine({ count: depth }, isUnwanted, bodies)
  }

  /** Goes back to genesis as the network has it, and the accounts that users are given; snapshots are forgotten. */
  async reset(): Promise<void> {
    await this.#goToGenesis()
    this.#fund()
    await this.#params.flushed()
  }

  async #goToGenesis(): Promise<void> {
    this.#keepSnapshots([])
    this.#goBack({ number: this.#params.spec.fork?.number ?? 0, edits: new Map(), clock: null })
    await this.#params.flushed()
  }

  /** Gives users their accounts where these do not exist. */
  #fund(): void {
    const { editor, funded, chain, onStateEdited } = this.#params
    if (!editor.prepare(funded)) return
    chain.stateEdited()
    onStateEdited()
  }

  #keepSnapshots(kept: Snapshot[]): void {
    this.#snapshots = kept
    this.#snapshotEntries = kept.reduce((sum, { edits }) => sum + entriesOf(edits), 0)
  }

  /**
   * Moves the time of the next block forward.
   * @returns seconds added since the last block
   * @throws RpcError -32602 when blocks would be too far ahead
   */
  increaseTime(seconds: number): number {
    const { chain, clock } = this.#params
    return refuse(() => clock.increase(seconds, chain.head.timestamp))
  }

  /** Sets the time of the next block. @throws RpcError -32602 for a time that cannot be */
  setNextBlockTimestamp(timestamp: number): void {
    const { chain, clock } = this.#params
    refuse(() => clock.setTo(timestamp, chain.head.timestamp))
  }

  /**
   * Makes blocks on the head; answers once they are durable.
   * @param isUnwanted asked between two blocks: whether nobody waits for the rest any more
   * @throws RpcError -32602 for a time that cannot be, -32005 with the number of blocks when it was ended early
   */
  async mine(request: MineRequest, isUnwanted?: () => boolean): Promise<void> {
    this.#params.assertWritable()
    const { timestamp } = request
    if (timestamp !== undefined) this.setNextBlockTimestamp(timestamp)
    await this.#mine(request, isUnwanted)
  }

  async #mine(request: MineRequest, isUnwanted?: () => boolean, bodies?: BlockBodies): Promise<void> {
    const { producer, commit } = this.#params
    const failure = await producer.mine(request, isUnwanted, bodies).then(() => null, asRefusal)
    // What was made before it stays.
    if (failure === null || isStop(failure)) await commit()
    if (failure !== null) throw failure
  }

  /** Conditions under which blocks are made now. */
  get mode(): ProducerMode {
    return this.#params.producer.mode
  }

  setAutomine(on: boolean): void {
    const { producer } = this.#params
    producer.setMode({ ...producer.mode, instant: on })
  }

  /** Makes blocks in an interval, or no longer. */
  setInterval(interval: BlockInterval | null): void {
    const { producer } = this.#params
    this.#stoppedInterval = null
    producer.setMode({ ...producer.mode, interval })
  }

  /**
   * Stops blocks that are made in intervals, or lets them go on. Blocks that are made for transactions are
   * `setAutomine`'s, as in the reference (recorded).
   */
  setMining(on: boolean): void {
    const { producer } = this.#params
    const { interval } = producer.mode
    if (on && interval === null && this.#stoppedInterval !== null) this.setInterval(this.#stoppedInterval)
    if (on || interval === null) return
    this.setInterval(null)
    this.#stoppedInterval = interval
  }

  /** Changes the state after the head. */
  async editAccount(edit: AccountEdit): Promise<void> {
    this.#edit((editor) => editor.edit(edit))
    await this.#params.flushed()
  }

  #edit(change: (editor: StateEditor) => void): void {
    const { chain, editor, onStateEdited, assertWritable } = this.#params
    assertWritable()
    change(editor)
    chain.stateEdited()
    onStateEdited()
  }

  /**
   * Connects a block that was made elsewhere, as a peer's would be.
   * @returns its hash, once it is durable
   * @throws RpcError -32602 for bytes that are no block, -32000 for one that is not connected
   */
  async importBlock(encoded: Buffer): Promise<Buffer> {
    const { spec, chain, producer, assertWritable, commit } = this.#params
    assertWritable()
    const block = decode(spec, encoded)
    const result = chain.connect(block)
    switch (result.status) {
      case 'INVALID_BLOCK':
        throw new RpcError('executionFailed', result.error.message, { cause: result.error })
      case 'UNDECIDED':
        throw result.error
      case 'TOO_OLD':
        throw new RpcError(
          'executionFailed',
          `block ${block.number} ${toHex(block.hash)} branches off below the snapshot that this node began with`,
        )
      case 'NO_PARENT': {
        const parent = toHex(block.header.parentHash)
        throw new RpcError(
          'executionFailed',
          `block ${block.number} ${toHex(block.hash)} waits for ${parent}`,
        )
      }
      default:
        if (result.status === 'IMPORTED_NOT_BEST') this.#params.onSideBlock()
        // What a reorganisation gave back is as good as sent.
        producer.mineWaiting()
        await commit()
        return block.hash
    }
  }

  /** The chain with its edits as bytes that {@link loadState} takes. @throws RpcError -32000 for one that is too large */
  dumpState(): Promise<Buffer> {
    return this.#params.editor.dump()
  }

  /**
   * Goes back to genesis and on to the chain of a dump. Of anvil's as many blocks are made as its chain had, and its
   * accounts are written over the state after the last of them.
   * @param isUnwanted asked between two blocks: whether nobody waits for the rest any more
   * @throws RpcError -32602 for bytes that are no dump, which changes nothing; -32000 for a block against the rules;
   * -32005 with the number of blocks when it was ended early
   */
  async loadState(dump: Uint8Array, isUnwanted: () => boolean = () => false): Promise<void> {
    const { spec, editor, assertWritable } = this.#params
    const read = await readDump(spec, dump)
    if (read.kind === 'anvil') {
      await this.#loadAnvil(read, isUnwanted)
      return
    }
    assertWritable()
    await editor.storeStates(read.steps)
    // On the states that the blocks were made on, which no account was added to.
    await this.#goToGenesis()
    await this.#loadSteps(read.steps, isUnwanted)
  }

  async #loadSteps(steps: readonly DumpStep[], isUnwanted: () => boolean): Promise<void> {
    const { chain, commit, isStopping } = this.#params
    const isEnded = () => isStopping() || isUnwanted()
    for (let loaded = 0; loaded < steps.length; ) {
      // Others get their turn between two commits.
      await new Promise((resolve) => setImmediate(resolve))
      if (isEnded()) {
        await commit()
        const count = (list: readonly DumpStep[]) => list.filter(({ kind }) => kind === 'block').length
        throw new RpcError(
          'stopping',
          `the node stops: ${count(steps.slice(0, loaded))} of the ${count(steps)} blocks of the dump were loaded`,
        )
      }
      const step = steps[loaded]
      if (step?.kind === 'state') {
        this.#edit((editor) => editor.adopt(step.state.root))
        loaded += 1
        continue
      }
      const blocks = takeFor(blocksFrom(steps, loaded), GROUP_MILLISECONDS, isEnded)
      const results = chain.connectAll(blocks)
      const failed = results.findIndex(({ status }) => status !== 'IMPORTED_BEST')
      if (failed >= 0) {
        const refused = steps[loaded + failed]
        const number = refused?.kind === 'block' ? refused.block.number : null
        throw new RpcError('executionFailed', `block ${number} of the dump: ${results[failed]?.status}`)
      }
      loaded += results.length
    }
    this.#fund()
    await commit()
    await this.#params.flushed()
  }

  async #loadAnvil({ number, timestamp, accounts }: AnvilState, isUnwanted: () => boolean): Promise<void> {
    const { chain, clock, commit } = this.#params
    await this.reset()
    if (number > 0) {
      // The last of them has the time of the dump, if blocks a second apart can have it.
      const first = timestamp === null ? 0 : timestamp - number + 1
      if (first > chain.head.timestamp) refuse(() => clock.setTo(first, chain.head.timestamp))
      const isTimed = first > chain.head.timestamp
      await this.#mine({ count: number, ...(isTimed && { interval: 1 }) }, isUnwanted, new Map())
      // Later blocks follow the machine again, from the time of the head on.
      clock.reset()
    }
    this.#edit((editor) => editor.write(accounts))
    await commit()
  }

  #goBack({ number, edits, clock: time }: Omit<Snapshot, 'id'>, keepsPool = false): void {
    const { chain, clock, editor, onStateEdited, clearPool, assertWritable } = this.#params
    assertWritable()
    const target = chain.reader.headerByNumber(Math.min(number, chain.head.number))
    if (target === null) throw new Error(`the canonical chain has no block ${number}`)
    const isHead = target.hash.equals(chain.head.hash)
    editor.goBack(target, edits, keepsPool)
    if (time === null) clock.reset()
    else clock.restore(time)
    if (isHead) {
      clearPool()
      chain.stateEdited()
      onStateEdited()
    }
  }
}

function decode(spec: NetworkSpec, encoded: Buffer): Block {
  try {
    return parseBlock(spec, encoded)
  } catch (error) {
    if (error instanceof RlpError || error instanceof CodecError) {
      throw invalidParams(`Invalid input: ${error.message}`, { cause: error })
    }
    throw error
  }
}

/** A time that cannot be is a wrong parameter. */
function refuse<T>(action: () => T): T {
  try {
    return action()
  } catch (error) {
    throw asRefusal(error)
  }
}

function asRefusal(error: unknown): unknown {
  if (!(error instanceof MiningError)) return error
  if (error.code === 'TIMESTAMP') return invalidParams(error.message, { cause: error })
  return error.code === 'STOPPED' ? new RpcError('stopping', error.message, { cause: error }) : error
}

function isStop(failure: unknown): boolean {
  return failure instanceof RpcError && failure.kind === 'stopping'
}

/** The blocks from a step on, up to the next edited state. */
function* blocksFrom(steps: readonly DumpStep[], start: number): Generator<Block, void, void> {
  for (let index = start; ; index += 1) {
    const step = steps[index]
    if (step?.kind !== 'block') return
    yield step.block
  }
}

/** The items of an iterator within a time, at least one; the next is taken when the one before was used. */
function* takeFor<T>(source: Iterator<T>, milliseconds: number, isEnded: () => boolean): Generator<T> {
  const end = performance.now() + milliseconds
  do {
    const { value, done } = source.next()
    if (done === true) return
    yield value
  } while (performance.now() < end && !isEnded())
}

/** The weight of a snapshot with these edits. */
function entriesOf(edits: StateEdits): number {
  return 1 + edits.size
}
