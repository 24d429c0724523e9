import type { AccountOverride } from '../../execution/callTypes.ts'
import { fromHex, toHex } from '../../util/bytes.ts'
import type { AccountView } from '../context.ts'
import { type AccountDiffs, changedSlots, type TracedAccount } from './accountDiffs.ts'

const NOTHING: TracedAccount = {}
const GONE = { balance: 0n, nonce: 0n, code: Buffer.alloc(0), state: new Map<bigint, Buffer>() }

/** The changes by calls so far, as overrides for the next one. */
export class CarriedState {
  readonly #accounts = new Map<string, AccountOverride>()
  readonly #nonceOf: (address: Buffer) => bigint

  /** @param account the account before the first call */
  constructor(account: (address: Buffer) => AccountView | null) {
    this.#nonceOf = (address) => account(address)?.nonce ?? 0n
  }

  /** The overrides that the next call sees in place of the state. */
  get overrides(): readonly AccountOverride[] {
    return [...this.#accounts.values()]
  }

  /** Adds what a call changed, and counts it as a transaction of its sender. */
  add({ pre, post }: AccountDiffs, sender: Buffer): void {
    for (const key of new Set([...Object.keys(pre), ...Object.keys(post)])) {
      const after = post[key]
      const address = fromHex(key)
      if (after === undefined) this.#accounts.set(key, { address, ...GONE })
      else this.#change(key, address, pre[key] ?? NOTHING, after)
    }
    const key = toHex(sender)
    const known = this.#accounts.get(key)
    const nonce = (known?.nonce ?? this.#nonceOf(sender)) + 1n
    this.#accounts.set(key, { address: sender, ...known, nonce })
  }

  #change(key: string, address: Buffer, before: TracedAccount, after: TracedAccount): void {
    const known = this.#accounts.get(key)
    const cells = new Map(known?.state ?? known?.stateDiff)
    for (const [slot, word] of changedSlots(before, after)) cells.set(BigInt(slot), fromHex(word))
    this.#accounts.set(key, {
      ...known,
      address,
      ...(after.balance === undefined ? {} : { balance: BigInt(after.balance) }),
      ...(after.nonce === undefined ? {} : { nonce: after.nonce }),
      ...(after.code === undefined ? {} : { code: fromHex(after.code) }),
      ...(known?.state === undefined ? { stateDiff: cells } : { state: cells }),
    })
  }
}
