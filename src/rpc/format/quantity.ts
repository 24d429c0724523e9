import { asBuffer } from '../../util/bytes.ts'

/**
 * QUANTITY of a number: minimal hex, `0x0` for zero. It has no sign, so what headers and balances may have below zero
 * is `0x0` as well.
 */
export function quantity(value: bigint | number): string {
  return value < 0 ? '0x0' : `0x${value.toString(16)}`
}

/** QUANTITY of unsigned big-endian bytes, leading zeros dropped. */
export function quantityOfBytes(bytes: Uint8Array): string {
  let start = 0
  while (start < bytes.length && bytes[start] === 0) start += 1
  if (start === bytes.length) return '0x0'
  const hex = asBuffer(bytes).toString('hex', start)
  return hex.startsWith('0') ? `0x${hex.slice(1)}` : `0x${hex}`
}
