/** An account in the texts of prestateTracer; absent fields are as they were, or zero of an account that is new. */
export interface TracedAccount {
  /** QUANTITY. */
  readonly balance?: string
  readonly nonce?: bigint
  /** DATA. */
  readonly code?: string
  /** Words by slots, both DATA of 32 bytes; zero is left out. */
  readonly storage?: Readonly<Record<string, string>>
}

/**
 * What an execution changed, in the format of prestateTracer with `diffMode`: created accounts are only in `post`,
 * deleted ones only in `pre`.
 */
export interface AccountDiffs {
  readonly pre: Readonly<Record<string, TracedAccount>>
  readonly post: Readonly<Record<string, TracedAccount>>
}

/** A nonce, which is a number of up to eight bytes; the text has no strings but hex and names. */
const NONCE = /"nonce":([0-9]+)/g

/** Reads the text of a trace in the form `prestate` with `diffMode`. */
export function parseAccountDiffs(text: string): AccountDiffs {
  return JSON.parse(text.replaceAll(NONCE, '"nonce":"$1"'), (name, value) =>
    name === 'nonce' ? BigInt(value) : value,
  ) as AccountDiffs
}

/** Slots that changed in an account, with their new words; zero where there is none any more. */
export function changedSlots(before: TracedAccount, after: TracedAccount): ReadonlyMap<string, string> {
  const slots = new Map(Object.keys(before.storage ?? {}).map((slot) => [slot, ZERO_WORD]))
  for (const [slot, word] of Object.entries(after.storage ?? {})) slots.set(slot, word)
  return slots
}

/** 32 bytes of zero. */
export const ZERO_WORD = `0x${'00'.repeat(32)}`
