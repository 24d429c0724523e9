import { addressOfPrivateKey } from '../../native/crypto.ts'
import { bigIntToFixedBytes, bytesToBigInt } from '../../util/bytes.ts'

/** Order of secp256k1. */
export const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const FIELD_PRIME = 2n ** 256n - 2n ** 32n - 977n

/**
 * Sender that the reference recovers from a signature whose s is a multiple of the curve's order. Such a
 * transaction is never accepted (consensus.md §5.2), but its sender is still named. The general formula
 * (s·R − e·G) / r leaves a multiple of the generator, so the sender is the address of −e / r.
 * @returns 20 bytes, or null when no point has the abscissa r or r has no inverse
 */
export function recoverWithoutS(signingHash: Buffer, r: bigint): Buffer | null {
  if (r % CURVE_ORDER === 0n || !isAbscissa(r)) return null
  const secret = modulo(-bytesToBigInt(signingHash) * power(r, CURVE_ORDER - 2n, CURVE_ORDER), CURVE_ORDER)
  return secret === 0n ? null : addressOfPrivateKey(bigIntToFixedBytes(secret, 32))
}

/** True when a point of the curve y² = x³ + 7 has this abscissa (Euler's criterion). */
function isAbscissa(x: bigint): boolean {
  if (x >= FIELD_PRIME) return false
  return power(x * x * x + 7n, (FIELD_PRIME - 1n) / 2n, FIELD_PRIME) === 1n
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n
  let square = modulo(base, modulus)
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % modulus
    square = (square * square) % modulus
  }
  return result
}

function modulo(value: bigint, modulus: bigint): bigint {
  const rest = value % modulus
  return rest < 0n ? rest + modulus : rest
}
