import { addon } from './addon.ts'

/** Keccak-256 of the bytes: 32 bytes. */
export function keccak256(bytes: Uint8Array): Buffer {
  return addon.keccak256(bytes)
}
