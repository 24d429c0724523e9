// Parts of the lease `L` (fleet.md §2).

/** Of `L`: a holder renews this often. */
const RENEWAL_PART = 4
/** Times `L`: others take a lease for over after this. Clocks may differ in speed by a third. */
const EXPIRY_FACTOR = 1.5

/** Milliseconds between renewals of a lease of `lease` milliseconds. */
export function renewalInterval(lease: number): number {
  return lease / RENEWAL_PART
}

/** Milliseconds without a newer revision after which others take a lease for over. */
export function observedLifetime(lease: number): number {
  return lease * EXPIRY_FACTOR
}

/** Milliseconds in which a write of a lease has to be acknowledged: two attempts fit into a lease. */
export function writeTimeout(lease: number): number {
  return lease / 2
}
