const SEED_BYTES = 32
const TIME_BYTES = 4

/**
 * Seed hash of a work item: the time of the template's Bitcoin header, seconds, big-endian in 32 bytes. A
 * Bitcoin header has four bytes for its time, so that later times, which development chains can be set to,
 * wrap around.
 */
export function seedHashOfTime(timestamp: number): Buffer {
  const seed = Buffer.alloc(SEED_BYTES)
  seed.writeUInt32BE(timestamp % 2 ** (8 * TIME_BYTES), SEED_BYTES - TIME_BYTES)
  return seed
}

/** Time encoded in a seed hash, seconds. @throws RangeError when it is malformed */
export function timeOfSeedHash(seed: Buffer): number {
  const leading = seed.subarray(0, SEED_BYTES - TIME_BYTES)
  if (seed.length !== SEED_BYTES || leading.some((byte) => byte !== 0)) {
    throw new RangeError(`seed hash 0x${seed.toString('hex')} is not a time in 32 bytes`)
  }
  return seed.readUInt32BE(SEED_BYTES - TIME_BYTES)
}
