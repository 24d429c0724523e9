import { closest, distance } from 'fastest-levenshtein'

/** Edit distance up to which a name counts as a typing error: a third of its length, at least two. */
const TOLERANCE = 1 / 3

/** The known name that was probably meant; undefined when none is close. */
export function suggest(name: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined
  const nearest = closest(name, known)
  return distance(name, nearest) <= Math.max(2, Math.floor(name.length * TOLERANCE)) ? nearest : undefined
}
