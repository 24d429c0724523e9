/** The object that some JSON is; null for other JSON, other bytes, and more than `limit` of them. */
export function parseObject(bytes: Uint8Array, limit: number): Readonly<Record<string, unknown>> | null {
  if (bytes.length > limit) return null
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
