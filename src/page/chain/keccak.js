const RATE_BYTES = 136
const ROUNDS = 24
const MASK = (1n << 64n) - 1n

/**
 * Keccak-256 of some bytes as hex without 0x (the padding from before SHA-3 was standardised).
 * @param {Uint8Array} message
 */
export function keccak256(message) {
  const padded = new Uint8Array((Math.floor(message.length / RATE_BYTES) + 1) * RATE_BYTES)
  padded.set(message)
  padded[message.length] = 0x01
  padded[padded.length - 1] = (padded.at(-1) ?? 0) | 0x80
  const words = new BigUint64Array(padded.buffer)
  /** Lane (x, y) is at x + 5y. */
  const lanes = new BigUint64Array(25)
  const wordsAtOnce = RATE_BYTES / 8
  for (let start = 0; start < words.length; start += wordsAtOnce) {
    for (let i = 0; i < wordsAtOnce; i++) lanes[i] = at(lanes, i) ^ at(words, start + i)
    permute(lanes)
  }
  return [...new Uint8Array(lanes.buffer, 0, 32)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Keccak-f[1600] (FIPS 202 §3). @param {BigUint64Array} lanes */
function permute(lanes) {
  let register = 1
  for (let round = 0; round < ROUNDS; round++) {
    const columns = [0, 1, 2, 3, 4].map((x) =>
      [0, 5, 10, 15, 20].reduce((sum, row) => sum ^ at(lanes, x + row), 0n),
    )
    for (let i = 0; i < 25; i++) {
      const x = i % 5
      lanes[i] = at(lanes, i) ^ at(columns, (x + 4) % 5) ^ rotate(at(columns, (x + 1) % 5), 1n)
    }
    let [x, y] = [1, 0]
    let moved = at(lanes, 1)
    for (let step = 1; step <= 24; step++) {
      ;[x, y] = [y, (2 * x + 3 * y) % 5]
      const next = at(lanes, x + 5 * y)
      lanes[x + 5 * y] = rotate(moved, BigInt(((step * (step + 1)) / 2) % 64))
      moved = next
    }
    for (let row = 0; row < 25; row += 5) {
      const before = lanes.slice(row, row + 5)
      for (let i = 0; i < 5; i++) {
        lanes[row + i] = at(before, i) ^ (~at(before, (i + 1) % 5) & at(before, (i + 2) % 5))
      }
    }
    for (let bit = 0; bit < 7; bit++) {
      register = ((register << 1) ^ ((register >> 7) * 0x71)) % 256
      if ((register & 2) !== 0) lanes[0] = at(lanes, 0) ^ (1n << BigInt((1 << bit) - 1))
    }
  }
}

/**
 * @param {bigint} lane
 * @param {bigint} by
 */
function rotate(lane, by) {
  return ((lane << by) | (lane >> (64n - by))) & MASK
}

/**
 * @param {BigUint64Array | readonly bigint[]} words
 * @param {number} index
 */
function at(words, index) {
  return words[index] ?? 0n
}
