import { type BlockEntry, type FilterKind, type History, logName } from './history.ts'

/** What a filter tells. */
export interface FilterEvent {
  readonly name: string
  /** Place in the record of fleet heads of the change that it came with. */
  readonly place: number
}

/** The chains of the fleet heads, and what filters have to tell of them. */
export class RecordedChains {
  readonly #history: Pick<History, 'heads' | 'blocks'>
  readonly #events = new Map<string, readonly FilterEvent[]>()

  constructor(history: Pick<History, 'heads' | 'blocks'>) {
    this.#history = history
  }

  /**
   * Everything that a filter made at the first head would tell, in order.
   * @param address of the logs, for a filter of logs
   * @throws Error for a block that the history has no record of
   */
  events(of: Exclude<FilterKind, 'transactions'>, address: string | null): readonly FilterEvent[] {
    const key = `${of} ${address}`
    const known = this.#events.get(key)
    if (known !== undefined) return known
    const { heads } = this.#history
    const events = heads.flatMap(({ hash }, place) => {
      const before = heads[place - 1]
      if (before === undefined) return []
      const { left, joined } = this.#path(before.hash, hash)
      const names =
        of === 'blocks'
          ? joined.map((block) => block.hash)
          : [
              ...left.flatMap((block) => logsOf(block, address, true)),
              ...joined.flatMap((block) => logsOf(block, address, false)),
            ]
      return names.map((name) => ({ name, place }))
    })
    this.#events.set(key, events)
    return events
  }

  /** Names of the logs of an address in a range of the chain of a head, in order. */
  logs(place: number, address: string, from: number, to: number): readonly string[] {
    const found: string[][] = []
    let block = this.#block(this.#history.heads[place]?.hash ?? '')
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
