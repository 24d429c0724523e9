/** The largest number of 256 bits. */
export const MAX_WORD = 2n ** 256n - 1n

/** The larger of two. Math.max takes no bigint. */
export function max(a: bigint, b: bigint): bigint {
  return a >= b ? a : b
}

/** The smaller of two. */
export function min(a: bigint, b: bigint): bigint {
  return a <= b ? a : b
}
