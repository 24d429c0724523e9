import { type BlockEntry, type FilterKind, type History, logName } from './history.ts'

/** What filters are told of when the head moves, blocks or logs. */
export type ToldOf = Exclude<FilterKind, 'transactions'>

/** The chains of the fleet heads, and what filters have to tell of them. */
export class RecordedChains {
  readonly #history: Pick<History, 'heads' | 'blocks'>
  readonly #events = new Map<string, readonly string[]>()

  constructor(history: Pick<History, 'heads' | 'blocks'>) {
    this.#history = history
  }

  /** Places of the record of fleet heads. */
  get places(): number {
    return this.#history.heads.length
  }

  /**
   * What a poll at the head of one place tells when the poll before was at that of another, in order: the way over the
   * common ancestor, so that nothing is told of heads between them that a reorganisation took away (fleet.md §6).
   * @param address of the logs, for a filter of logs
   * @throws Error for a block that the history has no record of
   */
  events(of: ToldOf, address: string | null, from: number, to: number): readonly string[] {
    const key = `${of} ${address} ${from} ${to}`
    const known = this.#events.get(key)
    if (known !== undefined) return known
    const { left, joined } = this.#path(this.#hash(from), this.#hash(to))
    const names =
      of === 'blocks'
        ? joined.map((block) => block.hash)
        : [
            ...left.flatMap((block) => logsOf(block, address, true)),
            ...joined.flatMap((block) => logsOf(block, address, false)),
          ]
    this.#events.set(key, names)
    return names
  }

  /** Transactions with logs that the chain had at the head before a place, and has no more. */
  givenBack(place: number): ReadonlySet<string> {
    if (place < 1 || place >= this.places) return new Set()
    const { left, joined } = this.#path(this.#hash(place - 1), this.#hash(place))
    const kept = new Set(joined.flatMap(transactionsOf))
    return new Set(left.flatMap(transactionsOf).filter((hash) => !kept.has(hash)))
  }

  /** Whether a head does not have the one before it on its chain. */
  isReorganisation(place: number): boolean {
    return place > 0 && this.#path(this.#hash(place - 1), this.#hash(place)).left.length > 0
  }

  /** The first place, from one on, at which a block is on the chain; null for none. */
  placeOf(hash: string, from: number): number | null {
    for (let place = from; place < this.places; place += 1)
      if (this.isOnChain(hash, this.#hash(place))) return place
    return null
  }

  /** Whether a block is another one or below it. */
  isOnChain(hash: string, of: string): boolean {
    const { blocks } = this.#history
    const wanted = blocks.get(hash)
    if (wanted === undefined) return false
    let block = blocks.get(of)
    while (block !== undefined && block.number > wanted.number) block = blocks.get(block.parent)
    return block === wanted
  }

  /** Names of the logs of an address in a range of the chain of a head, in order. */
  logs(place: number, address: string, from: number, to: number): readonly string[] {
    const found: string[][] = []
    let block = this.#block(this.#hash(place))
    while (block.number >= from) {
      if (block.number <= to) found.push(logsOf(block, address, false))
      const parent = this.#history.blocks.get(block.parent)
      if (parent === undefined) break
      block = parent
    }
    return found.reverse().flat()
  }

  /** Blocks that leave, newest first, and join, oldest first, when the head moves. */
  #path(from: string, to: string): { readonly left: BlockEntry[]; readonly joined: BlockEntry[] } {
    const left: BlockEntry[] = []
    const joined: BlockEntry[] = []
    let [old, next] = [this.#block(from), this.#block(to)]
    while (old.hash !== next.hash) {
      if (old.number >= next.number) {
        left.push(old)
        old = this.#block(old.parent)
      } else {
        joined.push(next)
        next = this.#block(next.parent)
      }
    }
    return { left, joined: joined.reverse() }
  }

  #hash(place: number): string {
    return this.#history.heads[place]?.hash ?? ''
  }

  #block(hash: string): BlockEntry {
    const block = this.#history.blocks.get(hash)
    if (block === undefined) throw new Error(`the history has no record of block ${hash}`)
    return block
  }
}

function logsOf({ logs }: BlockEntry, address: string | null, removed: boolean): string[] {
  const own = logs.filter((log) => address === null || log.address === address)
  return own.map(({ name }) => {
    const [hash = '', index = ''] = name.split(':')
    return logName(hash, Number(index), removed)
  })
}

function transactionsOf({ logs }: BlockEntry): string[] {
  return logs.flatMap(({ transaction }) => (transaction === undefined ? [] : [transaction]))
}
