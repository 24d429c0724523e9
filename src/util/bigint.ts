/** The larger of two. Math.max takes no bigint. */
export function max(a: bigint, b: bigint): bigint {
  return a >= b ? a : b
}

/** The smaller of two. */
export function min(a: bigint, b: bigint): bigint {
  return a <= b ? a : b
}
