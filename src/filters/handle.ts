import { randomBytes } from 'node:crypto'

const HANDLE_BYTES = 16

/** Length of a handle's text. */
export const HANDLE_LENGTH: number = 2 + 2 * HANDLE_BYTES

/**
 * A handle that nobody can guess: 16 random bytes as `0x` hex. The first digit is not zero, so that it is a
 * QUANTITY, too (decisions.md D48).
 */
export function createHandle(): string {
  const bytes = randomBytes(HANDLE_BYTES)
  if ((bytes[0] ?? 0) < 0x10) bytes[0] = 0x10 | (bytes[0] ?? 0)
  return `0x${bytes.toString('hex')}`
}
