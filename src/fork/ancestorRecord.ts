import type { AncestorMetadata } from '../native/types.ts'

/** Facts of a block as bytes: JSON whose byte arrays and wide numbers are texts. */
export function encodeAncestor(block: AncestorMetadata): Buffer {
  return Buffer.from(
    JSON.stringify(block, (_, value: unknown) => {
      if (typeof value === 'bigint') return { wide: value.toString() }
      // A Buffer has become an object of its bytes by now.
      const { type, data } = (value ?? {}) as { type?: unknown; data?: unknown }
      if (type === 'Buffer' && Array.isArray(data)) return { hex: Buffer.from(data).toString('hex') }
      if (value instanceof Uint8Array) return { hex: Buffer.from(value).toString('hex') }
      return value
    }),
  )
}

/** The facts of such bytes. */
export function decodeAncestor(bytes: Buffer): AncestorMetadata {
  return JSON.parse(bytes.toString('utf8'), (_, value: unknown) => {
    const { hex, wide } = (typeof value === 'object' && value !== null ? value : {}) as Record<
      string,
      unknown
    >
    if (typeof hex === 'string') return Buffer.from(hex, 'hex')
    return typeof wide === 'string' ? BigInt(wide) : value
  }) as AncestorMetadata
}
