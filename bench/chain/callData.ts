import { keccak256 } from '../../src/native/crypto.ts'
import { bigIntToBytes } from '../../src/util/bytes.ts'

const WORD = 32

/** Call data of a function whose arguments are all single words. */
export function encodeCall(signature: string, args: readonly (bigint | Buffer)[] = []): Buffer {
  return Buffer.concat([keccak256(Buffer.from(signature)).subarray(0, 4), encodeWords(args)])
}

/** Arguments of a constructor: numbers and right-aligned bytes, one word each. */
export function encodeWords(args: readonly (bigint | Buffer)[]): Buffer {
  return Buffer.concat(
    args.map((arg) => {
      const bytes = typeof arg === 'bigint' ? bigIntToBytes(arg) : arg
      return Buffer.concat([Buffer.alloc(WORD - bytes.length), bytes])
    }),
  )
}
