import { closest, distance } from 'fastest-levenshtein'

/** Edits up to which a name counts as a typing error: a third of its letters. */
const TOLERANCE = 1 / 3
/** Edits of two letters that were exchanged. */
const EXCHANGE = 2

/** The known name that was probably meant; undefined when none is close. */
export function suggest(name: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined
  const nearest = closest(name, known)
  return isTypingError(name, nearest) ? nearest : undefined
}

/** True when a name was probably meant to be another one. */
export function isTypingError(name: string, meant: string): boolean {
  const edits = distance(name, meant)
  if (edits <= Math.max(1, Math.floor(name.length * TOLERANCE))) return true
  return edits === EXCHANGE && lettersOf(name) === lettersOf(meant)
}

function lettersOf(name: string): string {
  return [...name].sort().join('')
}
