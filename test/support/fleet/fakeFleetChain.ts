import type { BlockHeader } from '../../../src/chain/codec/header.ts'
import type { BlockReference } from '../../../src/storage/blockKey.ts'

/** The chain that all members of a fleet have, and its log of transactions. */
export class FakeFleetChain {
  readonly #blocks = new Map<string, { readonly number: number; readonly parent: string }>()
  #canonical: string[] = ['g'.padEnd(32, '.')]
  #made = 0
  readonly log: { readonly hash: Buffer; readonly sequence: number }[] = []
  #sequence = 0

  head(): BlockReference {
    const number = this.#canonical.length - 1
    return { number, hash: Buffer.from(this.#canonical[number] ?? '', 'latin1') }
  }

  hashByNumber(number: number): Buffer | null {
    const name = this.#canonical[number]
    return name === undefined ? null : Buffer.from(name, 'latin1')
  }

  storedHeader(hash: Buffer): BlockHeader | null {
    const block = this.#blocks.get(hash.toString('latin1'))
    if (block === undefined) return null
    const { number, parent } = block
    return { number, parentHash: Buffer.from(parent, 'latin1') } as BlockHeader
  }

  /** Takes blocks away and adds others. */
  reorganise(back: number, forward: number): void {
    this.#canonical.length = Math.max(1, this.#canonical.length - back)
    for (let added = 0; added < forward; added += 1) {
      this.#made += 1
      // 32 bytes, as hashes are.
      const name = `b${this.#made}`.padEnd(32, '.')
      const parent = this.#canonical.at(-1) ?? ''
      this.#blocks.set(name, { number: this.#canonical.length, parent })
      this.#canonical.push(name)
    }
  }

  /** A transaction of the log, or an entry that is none. */
  append(isPending: boolean): { readonly hash: Buffer; readonly sequence: number } | null {
    this.#sequence += 1
    if (!isPending) return null
    const entry = { hash: Buffer.alloc(32, this.#sequence), sequence: this.#sequence }
    this.log.push(entry)
    return entry
  }

  get names(): string[] {
    return this.#canonical.slice(1)
  }
}
