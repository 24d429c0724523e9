/** The treatment of a range of logs that ends beyond the head (decisions.md D70). */
export const BEYOND_HEAD = ['cut', 'refuse'] as const

/** One of {@link BEYOND_HEAD}. */
export type BeyondHead = (typeof BEYOND_HEAD)[number]

/** True when a value is one of them. */
export function isBeyondHead(value: unknown): value is BeyondHead {
  return BEYOND_HEAD.some((one) => one === value)
}
