import { quantity } from '../format/quantity.ts'
import type { Json } from '../json.ts'
import { type AccountDiffs, changedSlots, type TracedAccount, ZERO_WORD } from './accountDiffs.ts'

const UNCHANGED = '='
const NOTHING: TracedAccount = {}

/**
 * The `stateDiff` of Parity's traces: `=` unchanged, `+` created, `-` deleted, `*` changed.
 */
export function stateDiff({ pre, post }: AccountDiffs): { readonly [address: string]: Json } {
  const addresses = [...new Set([...Object.keys(pre), ...Object.keys(post)])].sort()
  return Object.fromEntries(addresses.map((address) => [address, accountDiff(pre[address], post[address])]))
}

function accountDiff(before: TracedAccount | undefined, after: TracedAccount | undefined): Json {
  if (before === undefined || isEmpty(before)) return whole('+', after ?? NOTHING)
  if (after === undefined) return whole('-', before)
  const change = (from: string, to: string | undefined) =>
    to === undefined ? UNCHANGED : { '*': { from, to } }
  return {
    balance: change(before.balance ?? '0x0', after.balance),
    code: change(before.code ?? '0x', after.code),
    nonce: change(quantity(before.nonce ?? 0), after.nonce === undefined ? undefined : quantity(after.nonce)),
    storage: Object.fromEntries(
      [...changedSlots(before, after)].map(([slot, to]) => [
        slot,
        { '*': { from: before.storage?.[slot] ?? ZERO_WORD, to } },
      ]),
    ),
  }
}

/** True when the account did not exist before: prestateTracer lists an account that was only paid as empty. */
function isEmpty({ balance, nonce, code, storage }: TracedAccount): boolean {
  return (
    BigInt(balance ?? 0) === 0n &&
    (nonce ?? 0n) === 0n &&
    code === undefined &&
    Object.keys(storage ?? {}).length === 0
  )
}

/** An account that is new or gone. */
function whole(sign: '+' | '-', { balance, nonce, code, storage }: TracedAccount): Json {
  return {
    balance: { [sign]: balance ?? '0x0' },
    code: { [sign]: code ?? '0x' },
    nonce: { [sign]: quantity(nonce ?? 0) },
    storage: Object.fromEntries(
      Object.entries(storage ?? {}).map(([slot, word]) => [slot, { [sign]: word }]),
    ),
  }
}
