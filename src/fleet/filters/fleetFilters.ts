import type { WalkedChain } from '../../filters/chainWalk.ts'
import type { HeadNotice, PendingNotice } from '../../filters/events.ts'
import type { FilterChanges, FilterContent, LogFilterRequest, NodeFilters } from '../../filters/filters.ts'
import type { MemoryUse } from '../../filters/memoryUse.ts'
import type { BlockReference } from '../../storage/blockKey.ts'
import type { StoredFilter } from '../../storage/filters/filterRecord.ts'
import { FleetError } from '../errors.ts'
import type { AppliedHead } from '../interface.ts'
import {
  decodeChanges,
  decodeContent,
  decodeDone,
  decodeFilterCall,
  encodeFilterCall,
  encodeFilterReply,
  type FilterReply,
  USUAL_REPLY_BYTES,
} from './filterCalls.ts'
import { filterIdText, parseFilterId } from './filterId.ts'
import { decodeRows, encodeRows, takeRows } from './filterRows.ts'
import type { OwnChanges, OwnFilters } from './ownFilters.ts'

/** What this member has applied of the log, as its requests see it (`gateway/entrance/fleetGate.ts`). */
export interface AppliedHeads {
  /** null before the first. */
  readonly applied: AppliedHead | null
  /**
   * Resolves once requests are begun under the head of a revision or a later one.
   * @throws an error while this member is away, or when that takes too long
   */
  begin(revision: number): Promise<void>
  /**
   * Resolves when this thread was told of all transactions that the pool has now.
   * @throws an error when that takes too long
   */
  caughtUp(): Promise<void>
}

/** What {@link FleetFilters} are made of. */
export interface FleetFiltersOptions {
  readonly own: OwnFilters
  readonly chain: WalkedChain & { head(): BlockReference }
  readonly heads: AppliedHeads
  /**
   * Asks the member that has a filter, whichever that is by now (`filterPart.ts`).
   * @throws an error when it does not answer
   */
  readonly ask: (call: Buffer) => Promise<Buffer>
  /** Told of what fails and nobody waits for. */
  readonly onFailure: (error: unknown) => void
}

/**
 * The filters of all members of a fleet, as the methods of one of them reach them: its own, and those of others, whose
 * owners are asked. What is asked for a client counts against its memory and limits here. Owners answer with positions,
 * blocks and hashes; logs are read by the member that was asked, which has every block that the owner may tell of
 * (fleet.md §3).
 */
export class FleetFilters implements NodeFilters {
  readonly #options: FleetFiltersOptions
  /** The head that this thread was told of last; null before. */
  #announced: Buffer | null = null
  /** A head of the fleet that this thread was not told of yet. */
  #awaited: { readonly revision: number; readonly hash: Buffer } | null = null

  constructor(options: FleetFiltersOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#options.own.size
  }

  installLogs(request: LogFilterRequest, memory: MemoryUse | null = null): Promise<string | null> {
    return this.#install('logs', request, memory)
  }

  installBlocks(memory: MemoryUse | null = null): Promise<string | null> {
    return this.#install('blocks', null, memory)
  }

  installPending(memory: MemoryUse | null = null): Promise<string | null> {
    return this.#install('pending', null, memory)
  }

  /** @throws FleetError `NoMember` when its owner does not answer */
  async uninstall(handle: string): Promise<boolean> {
    const { own } = this.#options
    const id = parseFilterId(handle)
    if (id === null) return false
    if (await own.uninstall(handle)) return true
    return decodeDone(await this.#ask({ what: 'uninstall', id }))
  }

  /** @throws FleetError `NoMember` when its owner does not answer: the poll may have taken effect */
  async poll(handle: string, memory: MemoryUse | null = null): Promise<FilterChanges | null> {
    const { own } = this.#options
    const id = parseFilterId(handle)
    if (id === null) return null
    if (own.has(handle)) {
      await this.#caughtUp(handle)
      const changes = await own.poll(handle)
      // Otherwise it expired, or another member took it over meanwhile.
      if (changes !== null) {
        return this.#told(changes, ({ after, before }) => own.undo(handle, after, before))
      }
    }
    return this.#drawn(memory, async () => {
      const changes = decodeChanges(await this.#ask({ what: 'poll', id, head: this.#head }))
      const takeBack = ({ after, before }: OwnChanges & { readonly kind: 'logs' }) => {
        this.#ask({ what: 'undo', id, after, before }).catch(this.#options.onFailure)
      }
      if (changes?.kind === 'logs' && !changes.blocks.every(({ hash }) => this.#has(hash))) {
        takeBack(changes)
        throw new FleetError('NoMember', 'this member does not have the blocks of the filter yet: ask again')
      }
      return this.#told(changes, takeBack)
    })
  }

  /** @throws FleetError `NoMember` when its owner does not answer */
  async content(handle: string, memory: MemoryUse | null = null): Promise<FilterContent | null> {
    const { own } = this.#options
    const id = parseFilterId(handle)
    if (id === null) return null
    if (own.has(handle)) {
      await this.#caughtUp(handle)
      const content = await own.content(handle)
      if (content !== null) return content
    }
    const head = this.#head
    return this.#drawn(memory, async () => decodeContent(await this.#ask({ what: 'content', id, head })))
  }

  headChanged({ retracted, enacted }: HeadNotice): void {
    this.#options.own.headChanged()
    const oldest = retracted.at(-1)
    const parent = oldest === undefined ? null : this.#options.chain.storedHeader(oldest.hash)?.parentHash
    this.#announced = enacted.at(-1)?.hash ?? parent ?? this.#announced
    if (this.#awaited !== null) this.applied(this.#awaited.revision, this.#awaited.hash)
  }

  /** This member no longer applies the log entry by entry. */
  interrupted(): void {
    this.#options.own.interrupted()
  }

  /**
   * The fleet has a head: once this thread was told of it, it was told of everything that the entries of the log before
   * it did.
   * @param revision its sequence in the log
   */
  applied(revision: number, hash: Buffer): void {
    const announced = this.#announced ?? this.#options.chain.head().hash
    const isThere = announced.equals(hash)
    this.#awaited = isThere ? null : { revision, hash }
    if (isThere) this.#options.own.reached(revision)
  }

  pendingAdded(notices: readonly PendingNotice[]): void {
    this.#options.own.pendingAdded(notices)
  }

  /**
   * Answers another member about a filter of this one (service `filter`), when its own clients would be answered under
   * the head that the other member has, or a later one.
   * @throws FleetError `Malformed`, `TooLarge`; StorageError `STORAGE_UNWRITABLE`
   */
  async answer(payload: Buffer): Promise<Buffer> {
    const call = decodeFilterCall(payload)
    return encodeFilterReply(await this.#reply(call))
  }

  /**
   * Lets go of some filters, for a member that goes on with them (service `handOutFilters`); empty when there are none.
   * @throws StorageError `STORAGE_UNWRITABLE`
   */
  async handOut(): Promise<Buffer> {
    return encodeRows(await this.#options.own.handOut(takeRows))
  }

  /**
   * Takes over filters of another member (service `adoptFilters`).
   * @returns whether there was room: a byte
   * @throws FleetError `Malformed`, `TooLarge`; StorageError `STORAGE_CORRUPT`, `STORAGE_UNWRITABLE`
   */
  async adopt(payload: Buffer): Promise<Buffer> {
    return Buffer.from([(await this.#options.own.adopt(decodeRows(payload))) ? 1 : 0])
  }

  async #reply(call: ReturnType<typeof decodeFilterCall>): Promise<FilterReply> {
    const { own } = this.#options
    const handle = filterIdText(call.id)
    switch (call.what) {
      case 'poll': {
        if (!own.has(handle)) return null
        if (!(await this.#begins(call.head, handle))) return { kind: 'refused' }
        const changes = await own.poll(handle)
        return changes === null ? null : { kind: 'changes', changes }
      }
      case 'content': {
        if (!own.has(handle)) return null
        if (!(await this.#begins(call.head, handle))) return { kind: 'refused' }
        const content = await own.content(handle)
        return content === null ? null : { kind: 'content', content }
      }
      case 'uninstall':
        return (await own.uninstall(handle)) ? { kind: 'done' } : null
      case 'undo':
        own.undo(handle, call.after, call.before)
        return { kind: 'done' }
    }
  }

  #install(
    kind: StoredFilter['kind'],
    request: LogFilterRequest | null,
    memory: MemoryUse | null,
  ): Promise<string | null> {
    return this.#options.own.install(kind, request, memory)
  }

  #told(
    changes: OwnChanges | null,
    takeBack: (changes: OwnChanges & { readonly kind: 'logs' }) => void,
  ): FilterChanges | null {
    if (changes === null || changes.kind === 'hashes') return changes
    const { kind, criteria, blocks } = changes
    return { kind, criteria, blocks, undo: () => takeBack(changes) }
  }

  async #ask(call: Parameters<typeof encodeFilterCall>[0]): Promise<Buffer> {
    try {
      return await this.#options.ask(encodeFilterCall(call))
    } catch (cause) {
      const text =
        call.what === 'poll'
          ? 'the member that has this filter is away: the poll may have taken effect; ask again or install a new one'
          : 'the member that has this filter is away: ask again or install a new one'
      throw new FleetError('NoMember', text, { cause })
    }
  }

  /** Takes what a reply usually has from the memory of the client until it is here. */
  async #drawn<T>(memory: MemoryUse | null, action: () => Promise<T>): Promise<T> {
    memory?.draw(USUAL_REPLY_BYTES)
    try {
      return await action()
    } finally {
      memory?.release(USUAL_REPLY_BYTES)
    }
  }

  /** @throws FleetError `NoMember` before the first head */
  get #head(): AppliedHead {
    const { applied } = this.#options.heads
    if (applied === null) throw new FleetError('NoMember', 'this member is joining its fleet')
    return applied
  }

  /** Whether a request of a client that has seen a head would be begun here. */
  async #begins({ revision, hash }: AppliedHead, handle: string): Promise<boolean> {
    const { heads } = this.#options
    try {
      await this.#caughtUp(handle)
      await heads.begin(revision)
    } catch {
      return false
    }
    // Equal revisions of other blocks are of different logs, and say nothing.
    return heads.applied?.revision !== revision || heads.applied.hash.equals(hash)
  }

  async #caughtUp(handle: string): Promise<void> {
    if (this.#options.own.isPending(handle)) await this.#options.heads.caughtUp()
  }

  #has(hash: Buffer): boolean {
    return this.#options.chain.storedHeader(hash) !== null
  }
}
